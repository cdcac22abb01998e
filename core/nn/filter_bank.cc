#include "core/nn/filter_bank.h"

#include "core/cpu_level.h"
#include "core/sliding_window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>

namespace diarize::nn {
namespace {

constexpr int kLanes = 16;     // rows computed side by side
constexpr int kFftSize = 512;  // real; half of it complex
constexpr int kHalf = kFftSize / 2;
constexpr float kPreEmphasis = 0.97F;
constexpr float kFloor = 1.1920929e-07F;

using Lanes = std::array<float, kLanes>;

// The work space of sixteen rows.
struct Scratch {
  std::array<Lanes, kFeatureSamples> frames;
  std::array<Lanes, kHalf> re;
  std::array<Lanes, kHalf> im;
  std::array<Lanes, kHalf> power;
  std::array<Lanes, kNumMelBins> energies;
};

// Mean-free, pre-emphasised, windowed frames.
[[gnu::always_inline]] inline void prepare_frames(
    const FilterBank::Tables& tables, Scratch& s) {
  Lanes sum{};
  for (const Lanes& sample : s.frames) {
    for (int l = 0; l < kLanes; ++l) sum[l] += sample[l];
  }
  Lanes previous;
  for (int l = 0; l < kLanes; ++l) {
    sum[l] /= kFeatureSamples;
    previous[l] = s.frames[0][l] - sum[l];
  }
  for (int j = 0; j < kFeatureSamples; ++j) {
    const float window = tables.window[j];
    for (int l = 0; l < kLanes; ++l) {
      const float value = s.frames[j][l] - sum[l];
      s.frames[j][l] = (value - kPreEmphasis * previous[l]) * window;
      previous[l] = value;
    }
  }
}

// Complex FFT of 256: the even samples are real parts, the odd ones imaginary
// parts, put in bit-reversed order and combined in place (Cooley and Tukey).
[[gnu::always_inline]] inline void transform(const FilterBank::Tables& tables,
                                             Scratch& s) {
  for (int k = 0; k < kHalf; ++k) {
    const int from = tables.order[k];
    s.re[k] = 2 * from < kFeatureSamples ? s.frames[2 * from] : Lanes{};
    s.im[k] = 2 * from < kFeatureSamples ? s.frames[2 * from + 1] : Lanes{};
  }
  for (int half = 1; half < kHalf; half *= 2) {
    const int step = kHalf / half;  // of the table, whose period is 512
    for (int begin = 0; begin < kHalf; begin += 2 * half) {
      for (int k = 0; k < half; ++k) {
        const float c = tables.cosines[k * step];
        const float d = tables.sines[k * step];
        Lanes& re0 = s.re[begin + k];
        Lanes& im0 = s.im[begin + k];
        Lanes& re1 = s.re[begin + k + half];
        Lanes& im1 = s.im[begin + k + half];
        for (int l = 0; l < kLanes; ++l) {
          const float re = re1[l] * c + im1[l] * d;
          const float im = im1[l] * c - re1[l] * d;
          re1[l] = re0[l] - re;
          im1[l] = im0[l] - im;
          re0[l] += re;
          im0[l] += im;
        }
      }
    }
  }
}

// Power of bins 0..255 of the real transform, from the complex one of half
// the size.
[[gnu::always_inline]] inline void split_power(const FilterBank::Tables& tables,
                                               Scratch& s) {
  for (int l = 0; l < kLanes; ++l) {
    const float dc = s.re[0][l] + s.im[0][l];
    s.power[0][l] = dc * dc;
  }
  for (int k = 1; k < kHalf; ++k) {
    const float c = tables.cosines[k];
    const float d = tables.sines[k];
    const Lanes& re = s.re[k];
    const Lanes& im = s.im[k];
    const Lanes& re_mirror = s.re[kHalf - k];
    const Lanes& im_mirror = s.im[kHalf - k];
    for (int l = 0; l < kLanes; ++l) {
      const float even_re = 0.5F * (re[l] + re_mirror[l]);
      const float even_im = 0.5F * (im[l] - im_mirror[l]);
      const float odd_re = 0.5F * (im[l] + im_mirror[l]);
      const float odd_im = 0.5F * (re_mirror[l] - re[l]);
      const float x = even_re + odd_re * c + odd_im * d;
      const float y = even_im + odd_im * c - odd_re * d;
      s.power[k][l] = x * x + y * y;
    }
  }
}

[[gnu::always_inline]] inline void sum_triangles(
    const FilterBank::Tables& tables, Scratch& s) {
  for (int bin = 0; bin < kNumMelBins; ++bin) {
    const FilterBank::Triangle& triangle = tables.triangles[bin];
    const float* weights = tables.mel_weights.data() + triangle.offset;
    Lanes energy{};
    for (int k = triangle.first; k < triangle.end; ++k) {
      const float weight = *weights++;
      for (int l = 0; l < kLanes; ++l) energy[l] += weight * s.power[k][l];
    }
    s.energies[bin] = energy;
  }
}

[[gnu::always_inline]] inline void compute_energies(
    const FilterBank::Tables& tables, Scratch& s) {
  prepare_frames(tables, s);
  transform(tables, s);
  split_power(tables, s);
  sum_triangles(tables, s);
}

// The same computation compiled for each level of processor.
using Compute = void (*)(const FilterBank::Tables&, Scratch&);
void compute_baseline(const FilterBank::Tables& tables, Scratch& s) {
  compute_energies(tables, s);
}
[[gnu::target("avx2,fma")]] void compute_avx2(const FilterBank::Tables& tables,
                                              Scratch& s) {
  compute_energies(tables, s);
}
[[gnu::target(
    "avx512f,avx512bw,avx512dq,avx512vl,fma,"
    "prefer-vector-width=512")]] void
compute_avx512(const FilterBank::Tables& tables, Scratch& s) {
  compute_energies(tables, s);
}

std::vector<float> make_window(FeatureWindow window) {
  std::vector<float> result(kFeatureSamples);
  for (int j = 0; j < kFeatureSamples; ++j) {
    const double cosine =
        std::cos(2.0 * std::numbers::pi * j / (kFeatureSamples - 1));
    result[j] = static_cast<float>(window == FeatureWindow::kPovey
                                       ? std::pow(0.5 - 0.5 * cosine, 0.85)
                                       : 0.54 - 0.46 * cosine);
  }
  return result;
}

double mel(double hertz) { return 1127.0 * std::log(1.0 + hertz / 700.0); }

// Triangles linear in mel over the power bins 0..255, zeros left out.
void make_triangles(FilterBank::Tables& tables) {
  const double low = mel(20.0);
  const double step = (mel(8000.0) - low) / (kNumMelBins + 1);
  for (int bin = 0; bin < kNumMelBins; ++bin) {
    const double left = low + step * bin;
    FilterBank::Triangle triangle;
    triangle.offset = static_cast<int>(tables.mel_weights.size());
    for (int k = 0; k < kHalf; ++k) {
      const double m = mel(static_cast<double>(kSampleRate) / kFftSize * k);
      const double weight =
          std::min((m - left) / step, (left + 2 * step - m) / step);
      if (weight <= 0.0) continue;
      if (triangle.end == 0) triangle.first = k;
      triangle.end = k + 1;
      tables.mel_weights.push_back(static_cast<float>(weight));
    }
    tables.triangles.push_back(triangle);
  }
}

int reverse_bits(int value) {
  int result = 0;
  for (int bit = 1; bit < kHalf; bit *= 2) {
    result = 2 * result + ((value & bit) != 0 ? 1 : 0);
  }
  return result;
}

}  // namespace

FilterBank::FilterBank(const FilterBankOptions& options) {
  tables_.scale = options.scale;
  tables_.window = make_window(options.window);
  for (int k = 0; k < kHalf; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / kFftSize;
    tables_.cosines.push_back(static_cast<float>(std::cos(angle)));
    tables_.sines.push_back(static_cast<float>(std::sin(angle)));
    tables_.order.push_back(reverse_bits(k));
  }
  make_triangles(tables_);
}

Array<float, 2> FilterBank::operator()(std::span<const float> samples) const {
  const auto length = static_cast<std::int64_t>(samples.size());
  const std::int64_t num_rows =
      length < kFeatureSamples
          ? 0
          : 1 + (length - kFeatureSamples) / kFeatureHopSamples;
  Array<float, 2> result({static_cast<std::size_t>(num_rows), kNumMelBins});
  const auto compute =
      choose<Compute>(compute_baseline, compute_avx2, compute_avx512);
  const auto scratch = std::make_unique<Scratch>();
  for (std::int64_t begin = 0; begin < num_rows; begin += kLanes) {
    const auto rows =
        static_cast<int>(std::min<std::int64_t>(kLanes, num_rows - begin));
    for (int l = 0; l < kLanes; ++l) {
      const std::int64_t row = begin + std::min(l, rows - 1);
      const float* frame = samples.data() + row * kFeatureHopSamples;
      for (int j = 0; j < kFeatureSamples; ++j) {
        scratch->frames[j][l] = frame[j] * tables_.scale;
      }
    }
    compute(tables_, *scratch);
    for (int l = 0; l < rows; ++l) {
      float* out = &result(begin + l, 0);
      for (int bin = 0; bin < kNumMelBins; ++bin) {
        out[bin] = std::log(std::max(scratch->energies[bin][l], kFloor));
      }
    }
  }
  return result;
}

}  // namespace diarize::nn
