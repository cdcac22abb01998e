#pragma once

#include "core/array.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace diarize {

// Symbols as in the paper; defaults of pyannote/speaker-diarization-community-1
// and, below the first two, of pyannote.audio 4.0 (utils/vbx.py, cluster_vbx).
struct VbxOptions {
  double Fa = 0.07;  // weight of the evidence, which is not independent
  double Fb = 0.8;   // weight of the prior: the larger, the fewer speakers
  int max_iterations = 20;
  // Stop when the lower bound of the evidence grows by less.
  double min_gain = 1e-4;
  // Responsibilities start as softmax(this * one-hot label).
  double initial_smoothing = 7.0;
  // Speakers with a smaller prior at the end are dropped.
  double min_prior = 1e-7;
};

struct VbxResult {
  // (num_embeddings, num_kept) responsibilities of the speakers kept.
  Array<double, 2> gamma;
  std::vector<std::size_t> kept;  // (num_kept) their initial labels, ascending
  std::vector<double> pi;         // (num_labels) priors, dropped ones included
  std::vector<double> elbo;       // (num_iterations) lower bound after each
};

// Variational Bayes clustering of PLDA features into speakers: refines an
// initial clustering with too many clusters and drops those it can do without
// (F. Landini et al., "Bayesian HMM clustering of x-vector sequences (VBx) in
// speaker diarization", Computer Speech & Language 2022; equations in
// brackets). As pyannote.audio 4.0 uses it: without the Markov chain, so that
// the order of the embeddings does not matter.
//
// Feature x_i (d) of speaker k is drawn around V y_k with unit variance, where
// V = diag(sqrt(phi)) and y_k is standard normal. With rho_i = V x_i (18) an
// iteration is
//
//   n_k     = sum_i gamma_ik
//   L_k     = 1 / (1 + Fa/Fb n_k phi)               posterior variance  (17)
//   alpha_k = Fa/Fb L_k sum_i gamma_ik rho_i        posterior mean      (16)
//   log p(x_i|k) = Fa (rho_i.alpha_k - phi.(L_k + alpha_k^2) / 2 + G_i)  (23)
//   gamma_ik = pi_k p(x_i|k) / sum_l pi_l p(x_i|l)
//   pi_k    = n_k / n
//   ELBO    = sum_i log sum_k pi_k p(x_i|k)
//             + Fb/2 sum_kd (ln L - L - alpha^2 + 1)                     (25)
//
// G_i = -(|x_i|^2 + d ln 2 pi) / 2; pi gets 1e-8 added under the logarithm.
// Stops after max_iterations or a gain below min_gain and keeps what the last
// iteration made.
//
// Departure: responsibilities are never stored all at once. What an iteration
// needs of them, n_k and sum_i gamma_ik rho_i, is gathered from 256 embeddings
// at a time; at the end those of the speakers kept are computed once more.
// Time: num_embeddings * num_labels * d an iteration, on all cores, whose
// number does not change the result.
// Memory: that of the features once more, some copies of (num_labels, d), 256
// responsibilities a label, and the result. The responsibilities of 30 000
// embeddings to 2 000 initial clusters alone would be 480 MB.
//
// features: (n, d); phi: (d); labels: (n), 0..max, each used.
[[nodiscard]] VbxResult vbx(const Array<double, 2>& features,
                            std::span<const double> phi,
                            std::span<const std::int32_t> labels,
                            const VbxOptions& options);

// (num_kept, dimension) means of some rows of `embeddings` (any, dimension),
// weighted with the responsibilities; gamma(i, k) belongs to row rows[i].
[[nodiscard]] Array<double, 2> weighted_means(
    const Array<double, 2>& gamma, const Array<float, 2>& embeddings,
    std::span<const std::size_t> rows);

}  // namespace diarize
