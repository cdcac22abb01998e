#include "core/clustering/vbx.h"

#include "core/dot_products.h"
#include "core/parallel_ranges.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace diarize {
namespace {

constexpr double kPriorFloor = 1e-8;
// Embeddings whose responsibilities are held at once.
constexpr std::size_t kTile = 256;
// Speakers, and embeddings, that one thread does at a time.
constexpr std::size_t kGrain = 16;

// What an iteration needs of the responsibilities.
struct Statistics {
  Statistics(std::size_t num_speakers, std::size_t dimension)
      : occupancy(num_speakers), first_order({num_speakers, dimension}) {}

  std::vector<double> occupancy;  // (num_speakers) n
  Array<double, 2> first_order;   // (num_speakers, dimension)
};

// Some consecutive embeddings.
struct Tile {
  explicit Tile(std::span<const double> phi, const Array<double, 2>& features,
                std::size_t first, std::size_t size)
      : rho({size, phi.size()}), constant(size) {
    const double log_two_pi = std::log(2.0 * std::numbers::pi);
    for (std::size_t i = 0; i < size; ++i) {
      const std::span<const double> x = features.row(first + i);
      constant[i] =
          -0.5 * (dot(x, x) + static_cast<double>(phi.size()) * log_two_pi);
      for (std::size_t d = 0; d < phi.size(); ++d) {
        rho(i, d) = x[d] * std::sqrt(phi[d]);
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return constant.size(); }

  Array<double, 2> rho;          // (size, dimension)
  std::vector<double> constant;  // (size) G
};

// The responsibilities of all speakers for one tile. Each number is made by
// one thread in one order, so the number of threads changes nothing.
class TilePosterior {
 public:
  TilePosterior(std::size_t num_speakers, std::size_t size)
      : gamma_({num_speakers, size}) {}

  // exp(scale (rho.alpha_k + G) + offset_k) for every speaker k, divided by
  // their sum; returns the logarithms of the sums, added up.
  double update(const Tile& tile, const Array<double, 2>& alpha,
                std::span<const double> offset, double scale) {
    parallel_ranges(
        offset.size(), kGrain, [&](std::size_t first, std::size_t last) {
          for (std::size_t k = first; k < last; ++k) {
            const std::span<double> row = gamma_.row(k);
            dot_rows(alpha.row(k), tile.rho, row);
            for (std::size_t i = 0; i < row.size(); ++i) {
              row[i] = scale * (row[i] + tile.constant[i]) + offset[k];
            }
          }
        });
    std::vector<double> log_sums(tile.size());
    parallel_ranges(tile.size(), kGrain,
                    [&](std::size_t first, std::size_t last) {
                      for (std::size_t i = first; i < last; ++i)
                        log_sums[i] = normalise(i);
                    });
    return std::accumulate(log_sums.begin(), log_sums.end(), 0.0);
  }

  // The same for one-hot labels, softened: softmax(smoothing * one-hot).
  void start(std::span<const std::int32_t> labels, double smoothing) {
    const auto num_speakers = static_cast<double>(gamma_.size(0));
    const double sum = std::exp(smoothing) + num_speakers - 1.0;
    std::ranges::fill(gamma_.values(), 1.0 / sum);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      gamma_(labels[i], i) = std::exp(smoothing) / sum;
    }
  }

  void add_to(Statistics& statistics, const Tile& tile) const {
    Array<double, 2> columns({tile.rho.size(1), tile.size()});
    for (std::size_t i = 0; i < tile.size(); ++i) {
      for (std::size_t d = 0; d < columns.size(0); ++d) {
        columns(d, i) = tile.rho(i, d);
      }
    }
    parallel_ranges(
        gamma_.size(0), kGrain, [&](std::size_t first, std::size_t last) {
          std::vector<double> sums(columns.size(0));
          for (std::size_t k = first; k < last; ++k) {
            const std::span<const double> row = gamma_.row(k);
            statistics.occupancy[k] +=
                std::accumulate(row.begin(), row.end(), 0.0);
            dot_rows(row, columns, sums);
            const std::span<double> total = statistics.first_order.row(k);
            for (std::size_t d = 0; d < sums.size(); ++d) total[d] += sums[d];
          }
        });
  }

  [[nodiscard]] double operator()(std::size_t speaker, std::size_t i) const {
    return gamma_(speaker, i);
  }

 private:
  // Softmax over the speakers of one embedding; returns the logarithm of the
  // sum.
  double normalise(std::size_t i) {
    double greatest = gamma_(0, i);
    for (std::size_t k = 1; k < gamma_.size(0); ++k) {
      greatest = std::max(greatest, gamma_(k, i));
    }
    double sum = 0.0;
    for (std::size_t k = 0; k < gamma_.size(0); ++k) {
      gamma_(k, i) = std::exp(gamma_(k, i) - greatest);
      sum += gamma_(k, i);
    }
    for (std::size_t k = 0; k < gamma_.size(0); ++k) gamma_(k, i) /= sum;
    return greatest + std::log(sum);
  }

  Array<double, 2> gamma_;  // (num_speakers, size)
};

class Vbx {
 public:
  Vbx(const Array<double, 2>& features, std::span<const double> phi,
      std::span<const std::int32_t> labels, const VbxOptions& options)
      : phi_(phi.begin(), phi.end()),
        options_(options),
        num_speakers_(*std::ranges::max_element(labels) + 1),
        pi_(num_speakers_, 1.0 / static_cast<double>(num_speakers_)),
        statistics_(num_speakers_, phi.size()),
        alpha_({num_speakers_, phi.size()}),
        offset_(num_speakers_) {
    for (std::size_t first = 0; first < labels.size(); first += kTile) {
      const std::size_t size = std::min(kTile, labels.size() - first);
      tiles_.emplace_back(phi_, features, first, size);
      TilePosterior posterior(num_speakers_, size);
      posterior.start(labels.subspan(first, size), options_.initial_smoothing);
      posterior.add_to(statistics_, tiles_.back());
    }
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
  // One iteration; returns the lower bound.
  double iterate() {
    const double penalty = update_speakers();
    Statistics next(num_speakers_, phi_.size());
    double evidence = 0.0;
    for (const Tile& tile : tiles_) {
      TilePosterior posterior(num_speakers_, tile.size());
      evidence += posterior.update(tile, alpha_, offset_, options_.Fa);
      posterior.add_to(next, tile);
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

  // Those of the last iteration again, of some speakers.
  [[nodiscard]] Array<double, 2> responsibilities(
      const std::vector<std::size_t>& speakers) const {
    std::size_t num_embeddings = 0;
    for (const Tile& tile : tiles_) num_embeddings += tile.size();
    Array<double, 2> result({num_embeddings, speakers.size()});
    std::size_t row = 0;
    for (const Tile& tile : tiles_) {
      TilePosterior posterior(num_speakers_, tile.size());
      posterior.update(tile, alpha_, offset_, options_.Fa);
      for (std::size_t i = 0; i < tile.size(); ++i, ++row) {
        for (std::size_t k = 0; k < speakers.size(); ++k) {
          result(row, k) = posterior(speakers[k], i);
        }
      }
    }
    return result;
  }

  std::vector<double> phi_;
  VbxOptions options_;
  std::size_t num_speakers_;
  std::vector<Tile> tiles_;
  std::vector<double> pi_;  // (num_speakers)
  Statistics statistics_;
  Array<double, 2> alpha_;      // (num_speakers, d)
  std::vector<double> offset_;  // (num_speakers)
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
