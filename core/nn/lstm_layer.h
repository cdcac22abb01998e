#pragma once

#include "core/nn/panel_product.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace diarize::nn {

// Weights of one direction of an LSTM layer, laid out as torch.nn.LSTM has
// them: the rows of the input, forget, cell and output gates one behind the
// other.
struct LstmWeights {
  std::span<const float> input;        // (4 * kLstmHidden, num_inputs)
  std::span<const float> hidden;       // (4 * kLstmHidden, kLstmHidden)
  std::span<const float> input_bias;   // (4 * kLstmHidden)
  std::span<const float> hidden_bias;  // (4 * kLstmHidden)
};

inline constexpr std::int64_t kLstmHidden = 128;

// A layer of a bidirectional LSTM (Hochreiter and Schmidhuber 1997, with the
// forget gate of Gers et al. 2000) over several sequences of the same length,
// from states of zero.
//
// The products with the inputs are made for some steps at once, those with the
// states step by step for all sequences; the gates follow in one pass. A
// sequence has the same result, bit for bit, in every batch. Cost: 2048 *
// (num_inputs + kLstmHidden) operations a step of a sequence, and 2 KB of
// scratch for each of at least 128 rows.
//
// Immutable, so threads may share it.
class LstmLayer {
 public:
  // num_inputs: as wide as `input` of both. With another precision than
  // kFloat32 it is a multiple of 32, and the processor has bfloat16. Throws
  // std::logic_error if sizes do not match.
  LstmLayer(const LstmWeights& forward, const LstmWeights& backward,
            std::int64_t num_inputs, Precision precision = Precision::kFloat32);

  // in: (num_steps, num_sequences, num_inputs);
  // out: (num_steps, num_sequences, 2 * kLstmHidden), the states of the
  // forward direction before those of the backward one; may not be `in`.
  void run(const float* in, std::int64_t num_steps, std::int64_t num_sequences,
           float* out) const;

 private:
  struct Direction {
    PanelMatrix input;
    PanelMatrix hidden;
    std::vector<float> bias;  // the sum of both
  };

  [[nodiscard]] static Direction pack(const LstmWeights& weights,
                                      std::int64_t num_inputs,
                                      Precision precision);

  std::array<Direction, 2> directions_;
};

}  // namespace diarize::nn
