#pragma once

#include "core/array.h"
#include "core/clustering/plda_model.h"

#include <cstddef>
#include <span>
#include <vector>

namespace diarize {

// Embeddings to the features that VBx clusters. Immutable, so threads may
// share it.
//
// Two steps, all in float64 (pyannote.audio 4.0, utils/vbx.py, vbx_setup):
//
//   a = sqrt(D) (x - mean1) / |x - mean1|           length normalisation
//   b = sqrt(d) (lda' a - mean2) / |lda' a - mean2|
//   f = tr (b - mu)
//
// In the space of f speakers have the diagonal covariance phi = psi and the
// variation within a speaker is the unit matrix (S. Ioffe, "Probabilistic
// Linear Discriminant Analysis", ECCV 2006).
//
// Departure: the reference forms both covariances from `tr` and `psi` and
// solves the generalised eigenproblem B v = lambda W v for the directions and
// phi. With W = (tr' tr)^-1 and B = (tr' diag(1/psi) tr)^-1 its solutions are
// the rows of `tr` and `psi` themselves, so here they are only sorted by psi,
// the greatest first. Features agree to 1e-11 but for the sign of each column,
// which nothing after depends on.
class Plda {
 public:
  // Throws std::logic_error if the shapes of the model do not fit.
  explicit Plda(PldaModel model);

  // (d) between-speaker variances, descending.
  [[nodiscard]] std::span<const double> phi() const { return phi_; }

  // (rows.size(), d): b above, of some rows of `embeddings` (any, D).
  // Cost: D * d a row.
  [[nodiscard]] Array<double, 2> transform(
      const Array<float, 2>& embeddings,
      std::span<const std::size_t> rows) const;

  // (n, d): f above, of transformed embeddings (n, d). Cost: d^2 a row.
  [[nodiscard]] Array<double, 2> project(
      const Array<double, 2>& transformed) const;

 private:
  PldaModel model_;
  Array<double, 2> lda_columns_;  // (d, D)
  Array<double, 2> directions_;   // (d, d) rows of tr, by descending psi
  std::vector<double> phi_;
};

}  // namespace diarize
