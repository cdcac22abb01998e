#include "core/nn/lstm_layer.h"

#include "core/cpu_level.h"
#include "core/nn/bfloat_tile.h"

#include <algorithm>
#include <functional>
#include <numbers>
#include <stdexcept>

namespace diarize::nn {
namespace {

constexpr std::int64_t kHidden = kLstmHidden;
constexpr std::int64_t kGates = 4 * kHidden;
// Rows of gates that are made at once: with the weights they stay in the
// second-level cache.
constexpr std::int64_t kRowsAtOnce = 128;

// GCC's vectors, so that one text serves every processor.
template <int kBytes>
struct Vectors {
  // NOLINTBEGIN(modernize-use-using): for the attributes
  typedef float Floats __attribute__((vector_size(kBytes)));
  typedef int Ints __attribute__((vector_size(kBytes)));
  // NOLINTEND(modernize-use-using)
};

// x = exp(x), where x is taken to be 28 at most and -80 at least; within 2
// units in the last place. A polynomial of the remainder of x and ln 2 (Cephes
// 2.2, single/expf.c).
template <int kBytes>
[[gnu::always_inline]] inline void to_exp(typename Vectors<kBytes>::Floats& x) {
  using Floats = Vectors<kBytes>::Floats;
  using Ints = Vectors<kBytes>::Ints;
  constexpr float kLog2E = std::numbers::log2e_v<float>;
  constexpr float kLn2High = 0.693359375F;  // NOLINT: not all of ln 2
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: its last place is 1
  constexpr int kBias = 127;
  constexpr int kMantissa = 23;
  const Floats most = Floats{} + 28.0F;
  const Floats least = Floats{} - 80.0F;
  x = x > most ? most : x;  // so written, a NaN stays one
  x = x < least ? least : x;
  const Floats rounded = x * kLog2E + kRound;
  const Floats n = rounded - kRound;
  const Floats r = (x - n * kLn2High) - n * kLn2Low;
  Floats p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const Ints power = (Ints)rounded - __builtin_bit_cast(int, kRound) + kBias;
  x = p * (Floats)(power << kMantissa);
}

// A step of some sequences.
struct Step {
  const float* gates;  // (num_sequences, kGates), before bias and functions
  const float* bias;   // (kGates)
  std::int64_t num_sequences;
  float* cells;  // (num_sequences, kHidden), updated
  float* out;    // (num_sequences, kHidden)
  std::int64_t out_stride;
};
using RunStep = void (*)(const Step&);

// cell = sigmoid(f) * cell + sigmoid(i) * tanh(g); out = sigmoid(o) *
// tanh(cell), with sigmoid(x) = 1 / (1 + e^-x), tanh(x) = (1 - e^-2x) /
// (1 + e^-2x) and all over one denominator, for divisions are slow. Powers end
// at e^28, so three of them do not overflow.
template <int kBytes>
[[gnu::always_inline]] inline void run_step(const Step& step) {
  using Floats = Vectors<kBytes>::Floats;
  typedef float Unaligned  // NOLINT(modernize-use-using): for the attributes
      __attribute__((vector_size(kBytes), aligned(4), may_alias));
  constexpr std::int64_t kLanes = kBytes / sizeof(float);
  for (std::int64_t s = 0; s < step.num_sequences; ++s) {
    const float* gates = step.gates + s * kGates;
    for (std::int64_t h = 0; h < kHidden; h += kLanes) {
      Floats e[4];  // e^-i, e^-f, e^-2g, e^-o
#pragma GCC unroll 4
      for (int part = 0; part < 4; ++part) {
        const std::int64_t at = part * kHidden + h;
        e[part] = -(*reinterpret_cast<const Unaligned*>(gates + at) +
                    *reinterpret_cast<const Unaligned*>(step.bias + at));
        if (part == 2) e[part] += e[part];
        to_exp<kBytes>(e[part]);
      }
      Unaligned& cell =
          *reinterpret_cast<Unaligned*>(step.cells + s * kHidden + h);
      const Floats ig = (e[0] + 1.0F) * (e[2] + 1.0F);
      const Floats f = e[1] + 1.0F;
      cell = (cell * ig + (1.0F - e[2]) * f) / (f * ig);
      Floats c = -2.0F * cell;
      to_exp<kBytes>(c);
      *reinterpret_cast<Unaligned*>(step.out + s * step.out_stride + h) =
          (1.0F - c) / ((e[3] + 1.0F) * (c + 1.0F));
    }
  }
}

// The same loop compiled for each level of processor.
void run_baseline(const Step& step) { run_step<16>(step); }
[[gnu::target("avx2,fma")]] void run_avx2(const Step& step) {
  run_step<32>(step);
}
[[gnu::target(
    "avx512f,avx512bw,avx512dq,avx512vl,fma,"
    "prefer-vector-width=512")]] void
run_avx512(const Step& step) {
  run_step<64>(step);
}

}  // namespace

LstmLayer::LstmLayer(const LstmWeights& forward, const LstmWeights& backward,
                     std::int64_t num_inputs, Precision precision)
    : directions_{pack(forward, num_inputs, precision),
                  pack(backward, num_inputs, precision)} {}

LstmLayer::Direction LstmLayer::pack(const LstmWeights& weights,
                                     std::int64_t num_inputs,
                                     Precision precision) {
  const auto has = [](std::span<const float> values, std::int64_t size) {
    return std::ssize(values) == size;
  };
  if (!has(weights.input, kGates * num_inputs) ||
      !has(weights.hidden, kGates * kHidden) ||
      !has(weights.input_bias, kGates) || !has(weights.hidden_bias, kGates) ||
      (precision != Precision::kFloat32 &&
       num_inputs % kBfloatTileInputs != 0)) {
    throw std::logic_error("LstmLayer: weights of another size");
  }
  Direction result = {PanelMatrix(weights.input, {}, {num_inputs}, precision),
                      PanelMatrix(weights.hidden, {}, {kHidden}, precision),
                      std::vector<float>(kGates)};
  std::ranges::transform(weights.input_bias, weights.hidden_bias,
                         result.bias.begin(), std::plus<>());
  return result;
}

void LstmLayer::run(const float* in, std::int64_t num_steps,
                    std::int64_t num_sequences, float* out) const {
  if (num_sequences == 0) return;
  const auto run_gates = choose<RunStep>(run_baseline, run_avx2, run_avx512);
  const std::int64_t num_inputs = directions_[0].input.runs().front();
  const std::int64_t steps_at_once =
      std::max(std::int64_t{1}, kRowsAtOnce / num_sequences);
  const std::int64_t out_row = num_sequences * 2 * kHidden;
  std::vector<float> gates(steps_at_once * num_sequences * kGates);
  std::vector<float> cells(num_sequences * kHidden);
  for (int index = 0; index < 2; ++index) {
    const Direction& direction = directions_[index];
    float* first_out = out + index * kHidden;
    const float* state = nullptr;  // of the step before
    std::ranges::fill(cells, 0.0F);
    for (std::int64_t done = 0; done < num_steps; done += steps_at_once) {
      const std::int64_t steps = std::min(steps_at_once, num_steps - done);
      const std::int64_t begin = index == 0 ? done : num_steps - done - steps;
      const RowsIn inputs{in + begin * num_sequences * num_inputs, num_inputs};
      multiply(direction.input, {&inputs, 1}, steps * num_sequences, false,
               {gates.data(), kGates});
      for (std::int64_t i = 0; i < steps; ++i) {
        const std::int64_t step = index == 0 ? i : steps - 1 - i;
        float* step_gates = gates.data() + step * num_sequences * kGates;
        if (state != nullptr) {
          const RowsIn states{state, 2 * kHidden};
          multiply(direction.hidden, {&states, 1}, num_sequences, false,
                   {step_gates, kGates}, {step_gates, kGates});
        }
        float* step_out = first_out + (begin + step) * out_row;
        run_gates({step_gates, direction.bias.data(), num_sequences,
                   cells.data(), step_out, 2 * kHidden});
        state = step_out;
      }
    }
  }
}

}  // namespace diarize::nn
