#include "core/nn/lstm_layer.h"

#include "core/cpu_level.h"
#include "tests/nn/bfloat16_levels.h"
#include "tests/nn/noise.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace diarize::test {
namespace {

constexpr std::int64_t kHidden = nn::kLstmHidden;
constexpr std::int64_t kGates = 4 * kHidden;
constexpr std::int64_t kInputs = 64;

// Weights of one direction.
struct Direction {
  explicit Direction(unsigned seed, float deviation = 0.1F)
      : input(noise(kGates * kInputs, seed, deviation)),
        hidden(noise(kGates * kHidden, seed + 1, deviation)),
        input_bias(noise(kGates, seed + 2, deviation)),
        hidden_bias(noise(kGates, seed + 3, deviation)) {}

  [[nodiscard]] nn::LstmWeights weights() const {
    return {input, hidden, input_bias, hidden_bias};
  }

  std::vector<float> input;
  std::vector<float> hidden;
  std::vector<float> input_bias;
  std::vector<float> hidden_bias;
};

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// The states of one sequence by the equations, in float64. in: (num_steps,
// kInputs); steps are taken from the last to the first if `reverse`.
std::vector<double> plain_states(const Direction& d,
                                 const std::vector<float>& in, bool reverse) {
  const std::int64_t num_steps = std::ssize(in) / kInputs;
  std::vector<double> result(num_steps * kHidden);
  std::vector<double> state(kHidden);
  std::vector<double> cell(kHidden);
  for (std::int64_t done = 0; done < num_steps; ++done) {
    const std::int64_t step = reverse ? num_steps - 1 - done : done;
    std::vector<double> gates(kGates);
    for (std::int64_t gate = 0; gate < kGates; ++gate) {
      double sum = double{d.input_bias[gate]} + d.hidden_bias[gate];
      for (std::int64_t k = 0; k < kInputs; ++k) {
        sum += double{d.input[gate * kInputs + k]} * in[step * kInputs + k];
      }
      for (std::int64_t k = 0; k < kHidden; ++k) {
        sum += double{d.hidden[gate * kHidden + k]} * state[k];
      }
      gates[gate] = sum;
    }
    for (std::int64_t h = 0; h < kHidden; ++h) {
      cell[h] = sigmoid(gates[kHidden + h]) * cell[h] +
                sigmoid(gates[h]) * std::tanh(gates[2 * kHidden + h]);
      state[h] = sigmoid(gates[3 * kHidden + h]) * std::tanh(cell[h]);
      result[step * kHidden + h] = state[h];
    }
  }
  return result;
}

// Sequence `s` of (num_steps, num_sequences, width) values.
std::vector<float> sequence(const std::vector<float>& values,
                            std::int64_t num_sequences, std::int64_t width,
                            std::int64_t s) {
  std::vector<float> result;
  for (std::int64_t at = s * width; at < std::ssize(values);
       at += num_sequences * width) {
    result.insert(result.end(), values.begin() + at,
                  values.begin() + at + width);
  }
  return result;
}

std::vector<float> run(const nn::LstmLayer& layer, const std::vector<float>& in,
                       std::int64_t num_sequences) {
  const std::int64_t num_steps = std::ssize(in) / (num_sequences * kInputs);
  std::vector<float> out(num_steps * num_sequences * 2 * kHidden);
  layer.run(in.data(), num_steps, num_sequences, out.data());
  return out;
}

struct Expected {
  float deviation;  // of the weights
  std::int64_t num_steps;
  double tolerance;
  Precision precision = Precision::kFloat32;
};

void check_states(const Expected& expected) {
  constexpr std::int64_t kSequences = 3;
  const Direction forward(1, expected.deviation);
  const Direction backward(11, expected.deviation);
  const nn::LstmLayer layer(forward.weights(), backward.weights(), kInputs,
                            expected.precision);
  const auto in = noise(expected.num_steps * kSequences * kInputs, 21, 1.0F);
  const auto out = run(layer, in, kSequences);
  double largest = 0.0;
  for (std::int64_t s = 0; s < kSequences; ++s) {
    const auto alone = sequence(in, kSequences, kInputs, s);
    const auto found = sequence(out, kSequences, 2 * kHidden, s);
    const auto before = plain_states(forward, alone, false);
    const auto behind = plain_states(backward, alone, true);
    for (std::int64_t i = 0; i < expected.num_steps * kHidden; ++i) {
      const float* states = &found[i / kHidden * 2 * kHidden + i % kHidden];
      largest = std::max({largest, std::abs(states[0] - before[i]),
                          std::abs(states[kHidden] - behind[i])});
    }
  }
  CHECK(largest < expected.tolerance);
}

void check_alone(Precision precision) {
  constexpr std::int64_t kSteps = 20;
  const Direction forward(1);
  const Direction backward(11);
  const nn::LstmLayer layer(forward.weights(), backward.weights(), kInputs,
                            precision);
  for (const std::int64_t size : {2, 5, 16, 31, 200}) {
    const auto in = noise(kSteps * size * kInputs, 21, 1.0F);
    const auto all = run(layer, in, size);
    for (const std::int64_t s : {std::int64_t{0}, size - 1}) {
      CHECK(run(layer, sequence(in, size, kInputs, s), 1) ==
            sequence(all, size, 2 * kHidden, s));
    }
  }
}

}  // namespace

TEST_SUITE("lstm_layer") {
  TEST_CASE("states are those of the equations in float64") {
    // More steps than are taken at once; and few where large weights drive the
    // gates to their ends, for there every rounding grows from step to step.
    check_states({.deviation = 0.1F, .num_steps = 50, .tolerance = 2e-6});
    check_states({.deviation = 3.0F, .num_steps = 2, .tolerance = 1e-4});
  }

  TEST_CASE("factors split in two bfloat16 give states to four digits") {
    for (const CpuLevel level : bfloat16_levels()) {
      const CpuLevelLimit limit(level);
      check_states({.deviation = 0.1F,
                    .num_steps = 50,
                    .tolerance = 1e-4,
                    .precision = Precision::kBfloat16x3});
      const Direction forward(1);
      const auto in = noise(20 * kInputs, 21, 1.0F);
      CHECK(run(nn::LstmLayer(forward.weights(), forward.weights(), kInputs,
                              Precision::kBfloat16x3),
                in, 1) !=
            run(nn::LstmLayer(forward.weights(), forward.weights(), kInputs),
                in, 1));
    }
  }

  TEST_CASE("huge inputs drive states to their ends, not out of range") {
    const Direction forward(1);
    const nn::LstmLayer layer(forward.weights(), forward.weights(), kInputs);
    for (const float size : {1e4F, -1e4F, 1e30F}) {
      const auto out = run(layer, std::vector<float>(40 * kInputs, size), 1);
      CHECK(std::ranges::all_of(
          out, [](float state) { return std::abs(state) <= 1.0F; }));
    }
  }

  TEST_CASE("what is no number stays none") {
    const Direction forward(1);
    const nn::LstmLayer layer(forward.weights(), forward.weights(), kInputs);
    const auto out =
        run(layer, std::vector<float>(3 * kInputs, std::nanf("")), 1);
    CHECK(std::ranges::all_of(out,
                              [](float state) { return std::isnan(state); }));
  }

  TEST_CASE("a sequence has the same states alone and in every batch") {
    check_alone(Precision::kFloat32);
    for (const CpuLevel level : bfloat16_levels()) {
      const CpuLevelLimit limit(level);
      check_alone(Precision::kBfloat16x3);
    }
  }

  TEST_CASE("weights of another size are refused") {
    Direction forward(1);
    const Direction backward(11);
    forward.hidden_bias.pop_back();
    CHECK_THROWS_AS(
        nn::LstmLayer(forward.weights(), backward.weights(), kInputs),
        std::logic_error);
    CHECK_THROWS_AS(
        nn::LstmLayer(backward.weights(), backward.weights(), kInputs + 1),
        std::logic_error);
  }
}

}  // namespace diarize::test
