#include "core/clustering/plda.h"

#include "core/dot_products.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace diarize {
namespace {

void check(const PldaModel& model) {
  const std::size_t d = model.mu.size(0);
  const bool fits = model.lda.size(0) == model.mean1.size(0) &&
                    model.lda.size(1) == d && model.mean2.size(0) == d &&
                    model.tr.size(0) == d && model.tr.size(1) == d &&
                    model.psi.size(0) == d;
  if (!fits) throw std::logic_error("Plda: the arrays do not fit together");
}

Array<double, 2> transposed(const Array<double, 2>& matrix) {
  Array<double, 2> result({matrix.size(1), matrix.size(0)});
  for (std::size_t i = 0; i < matrix.size(0); ++i) {
    for (std::size_t j = 0; j < matrix.size(1); ++j) {
      result(j, i) = matrix(i, j);
    }
  }
  return result;
}

// Scales a vector to the square root of its dimension.
void normalise_length(std::span<double> vector) {
  const double scale = std::sqrt(static_cast<double>(vector.size())) /
                       std::sqrt(dot(vector, vector));
  for (double& value : vector) value *= scale;
}

}  // namespace

Plda::Plda(PldaModel model) : model_(std::move(model)) {
  check(model_);
  lda_columns_ = transposed(model_.lda);
  std::vector<std::size_t> order(model_.psi.size(0));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [this](std::size_t i) {
    return std::pair(-model_.psi(i), i);
  });
  directions_ = Array<double, 2>(model_.tr.shape());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::ranges::copy(model_.tr.row(order[i]), directions_.row(i).begin());
    phi_.push_back(model_.psi(order[i]));
  }
}

Array<double, 2> Plda::transform(const Array<float, 2>& embeddings,
                                 std::span<const std::size_t> rows) const {
  if (embeddings.size(1) != model_.mean1.size(0)) {
    throw std::logic_error("Plda: embeddings of another dimension");
  }
  Array<double, 2> result({rows.size(), phi_.size()});
  std::vector<double> centred(embeddings.size(1));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const float> row = embeddings.row(rows[i]);
    for (std::size_t k = 0; k < centred.size(); ++k) {
      centred[k] = static_cast<double>(row[k]) - model_.mean1(k);
    }
    normalise_length(centred);
    const std::span<double> out = result.row(i);
    dot_rows(centred, lda_columns_, out);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] -= model_.mean2(k);
    normalise_length(out);
  }
  return result;
}

Array<double, 2> Plda::project(const Array<double, 2>& transformed) const {
  if (transformed.size(1) != phi_.size()) {
    throw std::logic_error("Plda: vectors of another dimension");
  }
  Array<double, 2> result(transformed.shape());
  std::vector<double> centred(phi_.size());
  for (std::size_t i = 0; i < transformed.size(0); ++i) {
    const std::span<const double> row = transformed.row(i);
    for (std::size_t k = 0; k < centred.size(); ++k) {
      centred[k] = row[k] - model_.mu(k);
    }
    dot_rows(centred, directions_, result.row(i));
  }
  return result;
}

}  // namespace diarize
