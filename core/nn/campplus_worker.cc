#include "core/nn/campplus_worker.h"

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

// The rows of a piece less their mean.
Array<float, 2> centred_rows(const Array<float, 2>& features,
                             std::int64_t first_row,
                             const std::vector<std::int32_t>& rows) {
  std::array<double, kNumMelBins> mean{};
  for (const std::int32_t row : rows) {
    const std::span<const float> in = features.row(row - first_row);
    for (int bin = 0; bin < kNumMelBins; ++bin) mean[bin] += in[bin];
  }
  for (double& value : mean) value /= static_cast<double>(rows.size());
  Array<float, 2> result({rows.size(), kNumMelBins});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const float> in = features.row(rows[i] - first_row);
    const std::span<float> out = result.row(i);
    for (int bin = 0; bin < kNumMelBins; ++bin) {
      out[bin] = in[bin] - static_cast<float>(mean[bin]);
    }
  }
  return result;
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
    features_.push_back(
        jobs[block].empty() ? Array<float, 2>() : stopwatch_.time([&] {
          return filter_bank_(blocks[block]->samples);
        }));
    results.emplace_back(
        Array<float, 2>::Shape{jobs[block].size(), CamPlusPlus::kDimension});
    for (std::size_t job = 0; job < jobs[block].size(); ++job) {
      check(jobs[block][job], first_row, features_[block].size(0));
      pieces.push_back({block, job, jobs[block][job].rows.size()});
    }
  }
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < pieces.size(); begin = end) {
    std::size_t num_rows = 0;
    do {
      num_rows += pieces[end++].num_rows;
    } while (end < pieces.size() &&
             num_rows + pieces[end].num_rows <= kMaxBatchRows);
    run_batch(blocks, jobs, std::span(pieces).subspan(begin, end - begin),
              results);
  }
  return results;
}

void CamPlusPlusWorker::run_batch(
    std::span<const Block* const> blocks,
    std::span<const std::vector<EmbeddingJob>> jobs,
    std::span<const Piece> pieces, std::vector<Array<float, 2>>& results) {
  std::vector<Array<float, 2>> rows;
  for (const Piece& piece : pieces) {
    rows.push_back(
        centred_rows(features_[piece.block],
                     blocks[piece.block]->first_sample / kFeatureHopSamples,
                     jobs[piece.block][piece.job].rows));
  }
  const Array<float, 2> embeddings = network_.embed(rows, scratch_);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::ranges::copy(embeddings.row(i),
                      results[pieces[i].block].row(pieces[i].job).begin());
  }
}

}  // namespace diarize::nn
