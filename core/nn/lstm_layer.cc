#include "core/nn/lstm_layer.h"

#include "core/cpu_level.h"

#include <algorithm>
#include <stdexcept>

namespace diarize::nn {
namespace {

constexpr std::int64_t kHidden = kLstmHidden;
constexpr std::int64_t kGates = 4 * kHidden;
// Rows of gates that are made at once: with the weights they stay in the
// second-level cache.
constexpr std::int64_t kRowsAtOnce = 128;

// exp(x) for x up to 28, and of less than -80 that of -80; within 2 units in
// the last place. By a polynomial of the remainder of x and ln 2 (Cephes,
// expf.c), here as a loop that the compiler turns into vectors.
[[gnu::always_inline]] inline float exp_of(float x) {
  constexpr float kLog2E = 1.44269504088896341F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: the last bit is 1
  constexpr int kBias = 127;
  constexpr int kMantissa = 23;
  x = x > 28.0F ? 28.0F : x;  // so written, a NaN stays one
  x = x < -80.0F ? -80.0F : x;
  const float rounded = x * kLog2E + kRound;
  const float n = rounded - kRound;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const int power = __builtin_bit_cast(int, rounded) -
                    __builtin_bit_cast(int, kRound) + kBias;
  return p * __builtin_bit_cast(float, power << kMantissa);
}

// A step of some sequences.
struct Step {
  const float* gates;  // (num_sequences, kGates), before their functions
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
[[gnu::always_inline]] inline void run_step(const Step& step) {
  for (std::int64_t s = 0; s < step.num_sequences; ++s) {
    const float* gates = step.gates + s * kGates;
    float* __restrict cells = step.cells + s * kHidden;
    float* __restrict out = step.out + s * step.out_stride;
#pragma GCC ivdep
    for (std::int64_t h = 0; h < kHidden; ++h) {
      const float i = 1.0F + exp_of(-gates[h]);
      const float f = 1.0F + exp_of(-gates[kHidden + h]);
      const float g = exp_of(-2.0F * gates[2 * kHidden + h]);
      const float o = 1.0F + exp_of(-gates[3 * kHidden + h]);
      const float ig = i * (1.0F + g);
      const float cell = (cells[h] * ig + (1.0F - g) * f) / (f * ig);
      const float c = exp_of(-2.0F * cell);
      cells[h] = cell;
      out[h] = (1.0F - c) / (o * (1.0F + c));
    }
  }
}

// The same loop compiled for each level of processor.
void run_baseline(const Step& step) { run_step(step); }
[[gnu::target("avx2,fma")]] void run_avx2(const Step& step) { run_step(step); }
[[gnu::target(
    "avx512f,avx512bw,avx512dq,avx512vl,fma,"
    "prefer-vector-width=512")]] void
run_avx512(const Step& step) {
  run_step(step);
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
      !has(weights.input_bias, kGates) || !has(weights.hidden_bias, kGates)) {
    throw std::logic_error("LstmLayer: weights of another size");
  }
  std::vector<float> bias(kGates);
  std::ranges::transform(weights.input_bias, weights.hidden_bias, bias.begin(),
                         std::plus<>());
  return {PanelMatrix(weights.input, bias, {num_inputs}, precision),
          PanelMatrix(weights.hidden, {}, {kHidden}, precision)};
}

void LstmLayer::run(const float* in, std::int64_t num_steps,
                    std::int64_t num_sequences, float* out) const {
  const RunStep run_gates = choose<RunStep>(run_baseline, run_avx2, run_avx512);
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
        run_gates(
            {step_gates, num_sequences, cells.data(), step_out, 2 * kHidden});
        state = step_out;
      }
    }
  }
}

}  // namespace diarize::nn
