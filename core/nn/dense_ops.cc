#include "core/nn/dense_ops.h"

#include "core/cpu_level.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace diarize::nn {
namespace {

constexpr int kGroup = 32;  // channels a step of the loops

struct AffineArguments {
  RowsIn in;
  std::int64_t num_frames;
  std::int64_t channels;
  const float* scale;
  const float* shift;
  RowsOut out;
};

[[gnu::always_inline]] inline void affine_relu_loop(const AffineArguments& a) {
  for (std::int64_t frame = 0; frame < a.num_frames; ++frame) {
    const float* in = a.in.first + frame * a.in.stride;
    float* out = a.out.first + frame * a.out.stride;
    for (std::int64_t group = 0; group < a.channels; group += kGroup) {
      const float* from = in + group;
      const float* scale = a.scale + group;
      const float* shift = a.shift + group;
      float* to = out + group;
#pragma GCC ivdep
      for (int c = 0; c < kGroup; ++c) {
        const float value = from[c] * scale[c] + shift[c];
        to[c] = value > 0.0F ? value : 0.0F;
      }
    }
  }
}

// The same loop compiled for each level of processor.
using Affine = void (*)(const AffineArguments&);
void affine_relu_baseline(const AffineArguments& a) { affine_relu_loop(a); }
[[gnu::target("avx2,fma")]] void affine_relu_avx2(const AffineArguments& a) {
  affine_relu_loop(a);
}
[[gnu::target(
    "avx512f,avx512bw,avx512dq,avx512vl,fma,"
    "prefer-vector-width=512")]] void
affine_relu_avx512(const AffineArguments& a) {
  affine_relu_loop(a);
}

struct GateArguments {
  const float* hidden;
  const float* local;
  std::int64_t num_frames;
  const ContextGate* gate;
  float* out;
  std::int64_t out_stride;
};

using Context = std::array<float, ContextGate::kHidden>;

[[gnu::always_inline]] inline Context sum_frames(const float* hidden,
                                                 std::int64_t num_frames) {
  Context sum{};
  for (std::int64_t frame = 0; frame < num_frames; ++frame) {
    const float* in = hidden + frame * ContextGate::kHidden;
    for (int c = 0; c < ContextGate::kHidden; ++c) sum[c] += in[c];
  }
  return sum;
}

[[gnu::always_inline]] inline std::array<float, ContextGate::kOutputs> gate_of(
    const Context& context, const ContextGate& gate) {
  std::array<float, ContextGate::kSqueezed> squeezed;
  for (int c = 0; c < ContextGate::kSqueezed; ++c) {
    squeezed[c] = gate.first_bias[c];
  }
  for (int k = 0; k < ContextGate::kHidden; ++k) {
    const float* weights = gate.first.data() + k * ContextGate::kSqueezed;
    for (int c = 0; c < ContextGate::kSqueezed; ++c) {
      squeezed[c] += context[k] * weights[c];
    }
  }
  std::array<float, ContextGate::kOutputs> result;
  for (int c = 0; c < ContextGate::kOutputs; ++c) {
    result[c] = gate.second_bias[c];
  }
  for (int k = 0; k < ContextGate::kSqueezed; ++k) {
    const float value = squeezed[k] > 0.0F ? squeezed[k] : 0.0F;
    const float* weights = gate.second.data() + k * ContextGate::kOutputs;
    for (int c = 0; c < ContextGate::kOutputs; ++c) {
      result[c] += value * weights[c];
    }
  }
  for (float& value : result) value = 1.0F / (1.0F + expf(-value));
  return result;
}

[[gnu::always_inline]] inline void gate_loop(const GateArguments& a) {
  constexpr std::int64_t kSegment = ContextGate::kSegment;
  std::vector<Context> segments;
  Context total{};
  for (std::int64_t begin = 0; begin < a.num_frames; begin += kSegment) {
    const std::int64_t rest = a.num_frames - begin;
    const std::int64_t frames = rest < kSegment ? rest : kSegment;
    segments.push_back(
        sum_frames(a.hidden + begin * ContextGate::kHidden, frames));
    for (int c = 0; c < ContextGate::kHidden; ++c) {
      total[c] += segments.back()[c];
    }
  }
  for (std::int64_t begin = 0; begin < a.num_frames; begin += kSegment) {
    const std::int64_t rest = a.num_frames - begin;
    const std::int64_t frames = rest < kSegment ? rest : kSegment;
    Context& context = segments[begin / kSegment];
    for (int c = 0; c < ContextGate::kHidden; ++c) {
      context[c] = context[c] / static_cast<float>(frames) +
                   total[c] / static_cast<float>(a.num_frames);
    }
    const auto gate = gate_of(context, *a.gate);
    for (std::int64_t frame = begin; frame < begin + frames; ++frame) {
      const float* local = a.local + frame * ContextGate::kOutputs;
      float* __restrict out = a.out + frame * a.out_stride;
      for (int c = 0; c < ContextGate::kOutputs; ++c) {
        out[c] = local[c] * gate[c];
      }
    }
  }
}

using Gate = void (*)(const GateArguments&);
void gate_baseline(const GateArguments& a) { gate_loop(a); }
[[gnu::target("avx2,fma")]] void gate_avx2(const GateArguments& a) {
  gate_loop(a);
}
[[gnu::target(
    "avx512f,avx512bw,avx512dq,avx512vl,fma,"
    "prefer-vector-width=512")]] void
gate_avx512(const GateArguments& a) {
  gate_loop(a);
}

}  // namespace

void affine_relu(const RowsIn& in, std::int64_t num_frames,
                 std::span<const float> scale, std::span<const float> shift,
                 const RowsOut& out) {
  const auto loop = choose<Affine>(affine_relu_baseline, affine_relu_avx2,
                                   affine_relu_avx512);
  loop({in, num_frames, static_cast<std::int64_t>(scale.size()), scale.data(),
        shift.data(), out});
}

void apply_gate(const float* hidden, const float* local,
                std::int64_t num_frames, const ContextGate& gate, float* out,
                std::int64_t out_stride) {
  const auto loop = choose<Gate>(gate_baseline, gate_avx2, gate_avx512);
  loop({hidden, local, num_frames, &gate, out, out_stride});
}

void pool_statistics(const float* in, std::int64_t num_frames,
                     std::span<float> out) {
  const std::size_t channels = out.size() / 2;
  std::vector<double> mean(channels);
  for (std::int64_t frame = 0; frame < num_frames; ++frame) {
    for (std::size_t c = 0; c < channels; ++c) {
      mean[c] += in[frame * channels + c];
    }
  }
  for (double& value : mean) value /= static_cast<double>(num_frames);
  std::vector<double> squares(channels);
  for (std::int64_t frame = 0; frame < num_frames; ++frame) {
    for (std::size_t c = 0; c < channels; ++c) {
      const double difference = in[frame * channels + c] - mean[c];
      squares[c] += difference * difference;
    }
  }
  for (std::size_t c = 0; c < channels; ++c) {
    out[c] = static_cast<float>(mean[c]);
    out[channels + c] = static_cast<float>(
        std::sqrt(squares[c] / static_cast<double>(num_frames - 1)));
  }
}

}  // namespace diarize::nn
