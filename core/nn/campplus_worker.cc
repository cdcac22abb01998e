#include "core/nn/campplus_worker.h"

#include "core/nn/torch_scope.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace diarize::nn {
namespace {

constexpr std::size_t kMinRows = 3;

void check(const EmbeddingJob& job, std::int64_t first_row,
           std::size_t num_rows) {
  const auto inside = [&](std::int32_t row) {
    return row >= first_row &&
           row < first_row + static_cast<std::int64_t>(num_rows);
  };
  if (job.rows.size() < kMinRows ||
      !std::all_of(job.rows.begin(), job.rows.end(), inside)) {
    throw std::logic_error("CAM++: a piece does not lie in its block");
  }
}

// Copies the rows of a piece less their mean.
void copy_centred(const Array<float, 2>& features, std::int64_t first_row,
                  const std::vector<std::int32_t>& rows, float* out) {
  std::array<double, kNumMelBins> mean{};
  for (const std::int32_t row : rows) {
    const std::span<const float> in = features.row(row - first_row);
    for (int bin = 0; bin < kNumMelBins; ++bin) mean[bin] += in[bin];
  }
  std::array<float, kNumMelBins> centre;
  for (int bin = 0; bin < kNumMelBins; ++bin) {
    centre[bin] =
        static_cast<float>(mean[bin] / static_cast<double>(rows.size()));
  }
  for (const std::int32_t row : rows) {
    const std::span<const float> in = features.row(row - first_row);
    for (int bin = 0; bin < kNumMelBins; ++bin) *out++ = in[bin] - centre[bin];
  }
}

}  // namespace

std::vector<Array<float, 2>> CamPlusPlusWorker::embed(
    std::span<const Block* const> blocks,
    std::span<const std::vector<EmbeddingJob>> jobs) {
  if (blocks.size() != jobs.size()) {
    throw std::logic_error("CAM++: one list of jobs a block expected");
  }
  std::vector<Array<float, 2>> results;
  std::vector<Piece> pieces;
  features_.clear();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const std::int64_t first_row =
        blocks[block]->first_sample / kFeatureHopSamples;
    features_.push_back(jobs[block].empty()
                            ? Array<float, 2>()
                            : filter_bank_(blocks[block]->samples));
    results.emplace_back(
        Array<float, 2>::Shape{jobs[block].size(), CamPlusPlus::kDimension});
    for (std::size_t job = 0; job < jobs[block].size(); ++job) {
      check(jobs[block][job], first_row, features_[block].size(0));
      pieces.push_back({block, job, jobs[block][job].rows.size()});
    }
  }
  std::stable_sort(
      pieces.begin(), pieces.end(),
      [](const Piece& a, const Piece& b) { return a.num_rows < b.num_rows; });
  return in_torch([&] {
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < pieces.size(); begin = end) {
      while (end < pieces.size() && end - begin < kMaxBatch &&
             pieces[end].num_rows == pieces[begin].num_rows) {
        ++end;
      }
      run_batch(blocks, jobs, std::span(pieces).subspan(begin, end - begin),
                results);
    }
    return std::move(results);
  });
}

void CamPlusPlusWorker::run_batch(
    std::span<const Block* const> blocks,
    std::span<const std::vector<EmbeddingJob>> jobs,
    std::span<const Piece> pieces,
    std::vector<Array<float, 2>>& results) const {
  const std::size_t num_rows = pieces.front().num_rows;
  const at::Tensor input =
      at::empty({static_cast<std::int64_t>(pieces.size()),
                 static_cast<std::int64_t>(num_rows), CamPlusPlus::kMelBins},
                at::kFloat);
  float* values = input.mutable_data_ptr<float>();
  for (const Piece& piece : pieces) {
    copy_centred(features_[piece.block],
                 blocks[piece.block]->first_sample / kFeatureHopSamples,
                 jobs[piece.block][piece.job].rows, values);
    values += num_rows * kNumMelBins;
  }
  const at::Tensor embeddings = network_.embed(input);
  const float* from = embeddings.const_data_ptr<float>();
  for (const Piece& piece : pieces) {
    const std::span<float> out = results[piece.block].row(piece.job);
    std::copy_n(from, out.size(), out.begin());
    from += out.size();
  }
}

}  // namespace diarize::nn
