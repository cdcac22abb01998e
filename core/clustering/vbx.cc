#include "core/clustering/vbx.h"

#include "core/dot_products.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace diarize {
namespace {

constexpr double kPriorFloor = 1e-8;
// A responsibility below this is not added up: against the sum of all, which
// is at least 1 / num_labels, it is far under the rounding of a double.
constexpr double kNegligible = 1e-40;

// What an iteration needs of the responsibilities.
struct Statistics {
  Statistics(std::size_t num_speakers, std::size_t dimension)
      : occupancy(num_speakers), first_order({num_speakers, dimension}) {}

  void add(std::span<const double> gamma, std::span<const double> rho) {
    for (std::size_t k = 0; k < gamma.size(); ++k) {
      if (gamma[k] < kNegligible) continue;
      occupancy[k] += gamma[k];
      const std::span<double> sum = first_order.row(k);
      for (std::size_t d = 0; d < rho.size(); ++d) sum[d] += gamma[k] * rho[d];
    }
  }

  std::vector<double> occupancy;  // (num_speakers) n
  Array<double, 2> first_order;   // (num_speakers, dimension)
};

class Vbx {
 public:
  Vbx(const Array<double, 2>& features, std::span<const double> phi,
      std::span<const std::int32_t> labels, const VbxOptions& options)
      : phi_(phi.begin(), phi.end()),
        options_(options),
        num_speakers_(*std::ranges::max_element(labels) + 1),
        rho_(features),
        constant_(features.size(0)),
        pi_(num_speakers_, 1.0 / static_cast<double>(num_speakers_)),
        statistics_(num_speakers_, phi.size()),
        alpha_({num_speakers_, phi.size()}),
        offset_(num_speakers_),
        gamma_(num_speakers_) {
    const double log_two_pi = std::log(2.0 * std::numbers::pi);
    for (std::size_t i = 0; i < rho_.size(0); ++i) {
      const std::span<double> row = rho_.row(i);
      constant_[i] = -0.5 * (dot(row, row) +
                             static_cast<double>(phi_.size()) * log_two_pi);
      for (std::size_t d = 0; d < row.size(); ++d) {
        row[d] *= std::sqrt(phi_[d]);
      }
    }
    start(labels);
  }

  VbxResult run() {
    VbxResult result;
    for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
      result.elbo.push_back(iterate());
      const std::size_t n = result.elbo.size();
      if (n > 1 &&
          result.elbo[n - 1] - result.elbo[n - 2] < options_.min_gain) {
        break;
      }
    }
    for (std::size_t k = 0; k < num_speakers_; ++k) {
      if (pi_[k] > options_.min_prior) result.kept.push_back(k);
    }
    result.gamma = responsibilities(result.kept);
    result.pi = std::move(pi_);
    return result;
  }

 private:
  // Statistics of softmax(initial_smoothing * one-hot label).
  void start(std::span<const std::int32_t> labels) {
    const double own = std::exp(options_.initial_smoothing);
    const double sum = own + static_cast<double>(num_speakers_) - 1.0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      std::ranges::fill(gamma_, 1.0 / sum);
      gamma_[labels[i]] = own / sum;
      statistics_.add(gamma_, rho_.row(i));
    }
  }

  // One iteration; returns the lower bound.
  double iterate() {
    const double penalty = update_speakers();
    Statistics next(num_speakers_, phi_.size());
    double evidence = 0.0;
    for (std::size_t i = 0; i < rho_.size(0); ++i) {
      evidence += update_responsibilities(i);
      next.add(gamma_, rho_.row(i));
    }
    statistics_ = std::move(next);
    const double total = std::accumulate(statistics_.occupancy.begin(),
                                         statistics_.occupancy.end(), 0.0);
    for (std::size_t k = 0; k < num_speakers_; ++k) {
      pi_[k] = statistics_.occupancy[k] / total;
    }
    return evidence + options_.Fb * 0.5 * penalty;
  }

  // Speaker models from the statistics: alpha_ and what of log p(x|k) does not
  // depend on x, with the prior. Returns sum_kd (ln L - L - alpha^2 + 1).
  double update_speakers() {
    const double ratio = options_.Fa / options_.Fb;
    double penalty = 0.0;
    for (std::size_t k = 0; k < num_speakers_; ++k) {
      double spread = 0.0;
      for (std::size_t d = 0; d < phi_.size(); ++d) {
        const double variance =
            1.0 / (1.0 + ratio * statistics_.occupancy[k] * phi_[d]);
        const double mean = ratio * variance * statistics_.first_order(k, d);
        alpha_(k, d) = mean;
        spread += phi_[d] * (variance + mean * mean);
        penalty += std::log(variance) - variance - mean * mean + 1.0;
      }
      offset_[k] = -0.5 * options_.Fa * spread + std::log(pi_[k] + kPriorFloor);
    }
    return penalty;
  }

  // gamma_ of one embedding; returns its log likelihood.
  double update_responsibilities(std::size_t i) {
    dot_rows(rho_.row(i), alpha_, gamma_);
    const double constant = options_.Fa * constant_[i];
    for (std::size_t k = 0; k < num_speakers_; ++k) {
      gamma_[k] = options_.Fa * gamma_[k] + offset_[k] + constant;
    }
    const double greatest = *std::ranges::max_element(gamma_);
    double sum = 0.0;
    for (const double value : gamma_) sum += std::exp(value - greatest);
    const double log_likelihood = greatest + std::log(sum);
    for (double& value : gamma_) value = std::exp(value - log_likelihood);
    return log_likelihood;
  }

  // Those of the last iteration again, of some speakers.
  Array<double, 2> responsibilities(const std::vector<std::size_t>& speakers) {
    Array<double, 2> result({rho_.size(0), speakers.size()});
    for (std::size_t i = 0; i < rho_.size(0); ++i) {
      update_responsibilities(i);
      for (std::size_t k = 0; k < speakers.size(); ++k) {
        result(i, k) = gamma_[speakers[k]];
      }
    }
    return result;
  }

  std::vector<double> phi_;
  VbxOptions options_;
  std::size_t num_speakers_;
  Array<double, 2> rho_;          // (n, d)
  std::vector<double> constant_;  // (n) G
  std::vector<double> pi_;        // (num_speakers)
  Statistics statistics_;
  Array<double, 2> alpha_;      // (num_speakers, d)
  std::vector<double> offset_;  // (num_speakers)
  std::vector<double> gamma_;   // (num_speakers) of one embedding
};

}  // namespace

VbxResult vbx(const Array<double, 2>& features, std::span<const double> phi,
              std::span<const std::int32_t> labels, const VbxOptions& options) {
  if (features.size(0) != labels.size() || features.size(1) != phi.size() ||
      labels.empty()) {
    throw std::logic_error("vbx: features, phi and labels do not fit");
  }
  return Vbx(features, phi, labels, options).run();
}

Array<double, 2> weighted_means(const Array<double, 2>& gamma,
                                const Array<float, 2>& embeddings,
                                std::span<const std::size_t> rows) {
  Array<double, 2> means({gamma.size(1), embeddings.size(1)});
  std::vector<double> weights(gamma.size(1));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const float> row = embeddings.row(rows[i]);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] += gamma(i, k);
      const std::span<double> sum = means.row(k);
      for (std::size_t d = 0; d < row.size(); ++d) {
        sum[d] += gamma(i, k) * static_cast<double>(row[d]);
      }
    }
  }
  for (std::size_t k = 0; k < weights.size(); ++k) {
    for (double& value : means.row(k)) value /= weights[k];
  }
  return means;
}

}  // namespace diarize
