#pragma once

#include "core/array.h"

#include <span>
#include <vector>

namespace diarize::nn {

// Window of a filter-bank row, symmetric over its 400 samples.
enum class FeatureWindow {
  kPovey,    // (0.5 - 0.5 cos(2 pi j / 399))^0.85, Kaldi's default
  kHamming,  // 0.54 - 0.46 cos(2 pi j / 399)
};

struct FilterBankOptions {
  FeatureWindow window = FeatureWindow::kPovey;
  // What samples in [-1, 1] are multiplied by: 1 or 32768.
  float scale = 1.0F;
};

inline constexpr int kNumMelBins = 80;

// Log mel energies as Kaldi computes them (compute-fbank-feats, torchaudio
// compliance.kaldi.fbank): 25 ms every 10 ms, frame mean removed,
// pre-emphasis 0.97, FFT of 512, power, 80 triangles from 20 to 8000 Hz,
// ln(max(energy, 2^-23)). No dither, no energy column, no mean over time
// subtracted.
//
// A row depends on its own 400 samples alone, bit for bit: sixteen rows are
// computed side by side, one a vector lane. Immutable; threads may share it.
// Cost: about 20 thousand operations a row.
class FilterBank {
 public:
  explicit FilterBank(const FilterBankOptions& options = {});

  // (num_rows, kNumMelBins) of all complete rows, row r from sample 160 r on;
  // none if there are fewer than 400 samples.
  [[nodiscard]] Array<float, 2> operator()(
      std::span<const float> samples) const;

  // The non-zero weights of a mel bin: from which power bin on, and where its
  // weights start in `mel_weights`.
  struct Triangle {
    int first = 0;
    int end = 0;
    int offset = 0;
  };

  // Constants of the transform.
  struct Tables {
    float scale = 1.0F;
    std::vector<float> window;        // (400)
    std::vector<float> cosines;       // (256) cos(2 pi k / 512)
    std::vector<float> sines;         // (256) sin(2 pi k / 512)
    std::vector<int> order;           // (256) bit-reversed indices
    std::vector<Triangle> triangles;  // (kNumMelBins)
    std::vector<float> mel_weights;
  };

 private:
  Tables tables_;
};

}  // namespace diarize::nn
