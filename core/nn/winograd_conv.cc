#include "core/nn/winograd_conv.h"

#include "core/cpu_level.h"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

namespace diarize::nn {
namespace {

constexpr int kTaps = 3;
constexpr int kTile = 4;                  // results a side
constexpr int kSide = kTile + kTaps - 1;  // values, and points, a side
constexpr int kPoints = kSide * kSide;

// One dimension of a tile, at the points 0, 1, -1, 2, -2 and infinity.
constexpr double kWeights[kSide][kTaps] = {{1.0 / 4, 0.0, 0.0},
                                           {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                           {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                           {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                           {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                           {0.0, 0.0, 1.0}};

template <int kBytes>
struct Lanes {
  typedef float Vector  // NOLINT(modernize-use-using): for the attributes
      __attribute__((vector_size(kBytes), aligned(4), may_alias));
};

// in, points: kSide.
template <int kBytes, typename Vector = typename Lanes<kBytes>::Vector>
[[gnu::always_inline]] inline void side_to_points(const Vector* in,
                                                  Vector* points) {
  const Vector near_even = in[4] - 4.0F * in[2];
  const Vector near_odd = in[3] - 4.0F * in[1];
  const Vector far_even = in[4] - in[2];
  const Vector far_odd = 2.0F * (in[3] - in[1]);
  points[0] = 4.0F * (in[0] - in[2]) + far_even;
  points[1] = near_even + near_odd;
  points[2] = near_even - near_odd;
  points[3] = far_even + far_odd;
  points[4] = far_even - far_odd;
  points[5] = 4.0F * (in[1] - in[3]) + (in[5] - in[3]);
}

// points: kSide; out: kTile.
template <int kBytes, typename Vector = typename Lanes<kBytes>::Vector>
[[gnu::always_inline]] inline void side_from_points(const Vector* points,
                                                    Vector* out) {
  const Vector near_sum = points[1] + points[2];
  const Vector near_gap = points[1] - points[2];
  const Vector far_sum = points[3] + points[4];
  const Vector far_gap = points[3] - points[4];
  out[0] = points[0] + near_sum + far_sum;
  out[1] = near_gap + 2.0F * far_gap;
  out[2] = near_sum + 4.0F * far_sum;
  out[3] = near_gap + 8.0F * far_gap + points[5];
}

// Tiles transformed at a time: their values stay in the second cache, and
// weights are loaded once for all of them. A multiple of the rows of a product.
constexpr std::int64_t kBlockTiles = 56;

// Values of a point for a block: not a multiple of a page, so that a tile
// does not write all of them to one set of the cache.
std::int64_t point_size(std::int64_t channels) {
  return kBlockTiles * channels + 48;
}

struct ToPoints {
  const float* pixels;  // the first of a patch
  std::int64_t row_stride;
  std::int64_t channels;
  float* points;
  std::int64_t point_size;
};

template <int kBytes>
[[gnu::always_inline]] inline void to_points(const ToPoints& a) {
  using Vector = typename Lanes<kBytes>::Vector;
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(float));
  for (std::int64_t c = 0; c < a.channels; c += kLanes) {
    Vector half[kSide][kSide];
#pragma GCC unroll 6
    for (int x = 0; x < kSide; ++x) {
      Vector column[kSide];
      Vector points[kSide];
#pragma GCC unroll 6
      for (int y = 0; y < kSide; ++y) {
        column[y] = *reinterpret_cast<const Vector*>(
            a.pixels + y * a.row_stride + x * a.channels + c);
      }
      side_to_points<kBytes>(column, points);
#pragma GCC unroll 6
      for (int y = 0; y < kSide; ++y) half[y][x] = points[y];
    }
#pragma GCC unroll 6
    for (int y = 0; y < kSide; ++y) {
      Vector points[kSide];
      side_to_points<kBytes>(half[y], points);
#pragma GCC unroll 6
      for (int x = 0; x < kSide; ++x) {
        *reinterpret_cast<Vector*>(a.points + (y * kSide + x) * a.point_size +
                                   c) = points[x];
      }
    }
  }
}

struct FromPoints {
  const float* points;
  std::int64_t point_size;
  std::int64_t channels;
  const float* bias;
  const float* add;  // null: none
  float* out;
  std::int64_t row_stride;  // of out and add
  int height;               // results that lie within the image
  int width;
};

template <int kBytes>
[[gnu::always_inline]] inline void from_points(const FromPoints& a) {
  using Vector = typename Lanes<kBytes>::Vector;
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(float));
  using In = const Vector*;
  for (std::int64_t c = 0; c < a.channels; c += kLanes) {
    Vector half[kTile][kSide];
#pragma GCC unroll 6
    for (int y = 0; y < kSide; ++y) {
      Vector row[kSide];
      Vector results[kTile];
#pragma GCC unroll 6
      for (int x = 0; x < kSide; ++x) {
        row[x] = *reinterpret_cast<In>(a.points +
                                       (y * kSide + x) * a.point_size + c);
      }
      side_from_points<kBytes>(row, results);
#pragma GCC unroll 4
      for (int x = 0; x < kTile; ++x) half[x][y] = results[x];
    }
    const Vector bias = *reinterpret_cast<In>(a.bias + c);
    const Vector zero{};
#pragma GCC unroll 4
    for (int x = 0; x < kTile; ++x) {
      if (x >= a.width) break;
      Vector results[kTile];
      side_from_points<kBytes>(half[x], results);
#pragma GCC unroll 4
      for (int y = 0; y < kTile; ++y) {
        if (y >= a.height) break;
        const std::int64_t at = y * a.row_stride + x * a.channels + c;
        Vector value = results[y] + bias;
        if (a.add != nullptr) value += *reinterpret_cast<In>(a.add + at);
        *reinterpret_cast<Vector*>(a.out + at) = value > zero ? value : zero;
      }
    }
  }
}

// The same loops compiled for each level of processor.
void to_points_baseline(const ToPoints& a) { to_points<16>(a); }
void from_points_baseline(const FromPoints& a) { from_points<16>(a); }
[[gnu::target("avx2,fma")]] void to_points_avx2(const ToPoints& a) {
  to_points<32>(a);
}
[[gnu::target("avx2,fma")]] void from_points_avx2(const FromPoints& a) {
  from_points<32>(a);
}
[[gnu::target(
    "avx512f,avx512bw,avx512dq,avx512vl,fma,"
    "prefer-vector-width=512")]] void
to_points_avx512(const ToPoints& a) {
  to_points<64>(a);
}
[[gnu::target(
    "avx512f,avx512bw,avx512dq,avx512vl,fma,"
    "prefer-vector-width=512")]] void
from_points_avx512(const FromPoints& a) {
  from_points<64>(a);
}

// The weights of a point: (num_outputs, num_inputs).
std::vector<float> weights_of(std::span<const float> weights, int row,
                              int column) {
  std::vector<float> result(weights.size() / (kTaps * kTaps));
  for (std::size_t i = 0; i < result.size(); ++i) {
    double sum = 0.0;
    for (int y = 0; y < kTaps; ++y) {
      for (int x = 0; x < kTaps; ++x) {
        sum += kWeights[row][y] * kWeights[column][x] *
               weights[(i * kTaps + y) * kTaps + x];
      }
    }
    result[i] = static_cast<float>(sum);
  }
  return result;
}

// Copies the patch of an image that starts at (top, left), zeros around it.
void cut(const ImageIn& in, std::int64_t channels, std::int64_t top,
         std::int64_t left, std::vector<float>& patch) {
  auto to = patch.begin();
  for (std::int64_t y = top; y < top + kSide; ++y) {
    for (std::int64_t x = left; x < left + kSide; ++x, to += channels) {
      const bool inside = y >= 0 && y < in.height && x >= 0 && x < in.width;
      inside
          ? std::copy_n(in.values + (y * in.width + x) * channels, channels, to)
          : std::fill_n(to, channels, 0.0F);
    }
  }
}

// The pixel at the top and left of a tile's results.
struct Place {
  std::int64_t top = 0;
  std::int64_t left = 0;
};

// The points of tiles, those of one point together.
void transform(const ImageIn& in, std::int64_t channels,
               std::span<const Place> tiles, float* points) {
  const auto run = choose(to_points_baseline, to_points_avx2, to_points_avx512);
  std::vector<float> patch(kPoints * channels);
  for (const Place& tile : tiles) {
    const std::int64_t top = tile.top - 1;
    const std::int64_t left = tile.left - 1;
    const bool inside = top >= 0 && top + kSide <= in.height && left >= 0 &&
                        left + kSide <= in.width;
    if (!inside) cut(in, channels, top, left, patch);
    run({.pixels = inside ? in.values + (top * in.width + left) * channels
                          : patch.data(),
         .row_stride = (inside ? in.width : kSide) * channels,
         .channels = channels,
         .points = points,
         .point_size = point_size(channels)});
    points += channels;
  }
}

// The results of tiles; `image` gives their size.
void transform_back(const float* points, std::span<const float> bias,
                    std::span<const Place> tiles, const ImageIn& image,
                    float* out, const float* add) {
  const auto run =
      choose(from_points_baseline, from_points_avx2, from_points_avx512);
  const std::int64_t channels = std::ssize(bias);
  const auto part = [](std::int64_t rest) {
    return static_cast<int>(std::min<std::int64_t>(kTile, rest));
  };
  for (const Place& tile : tiles) {
    const std::int64_t at = (tile.top * image.width + tile.left) * channels;
    run({.points = points,
         .point_size = point_size(channels),
         .channels = channels,
         .bias = bias.data(),
         .add = add == nullptr ? nullptr : add + at,
         .out = out + at,
         .row_stride = image.width * channels,
         .height = part(image.height - tile.top),
         .width = part(image.width - tile.left)});
    points += channels;
  }
}

}  // namespace

WinogradConv::WinogradConv(std::span<const float> weights,
                           std::span<const float> bias)
    : num_inputs_(
          static_cast<std::int64_t>(weights.size() / (kTaps * kTaps) /
                                    std::max<std::size_t>(bias.size(), 1))),
      bias_(bias.begin(), bias.end()) {
  if (num_inputs_ % PanelMatrix::kPanelColumns != 0 ||
      num_inputs_ * num_outputs() * kTaps * kTaps !=
          static_cast<std::int64_t>(weights.size())) {
    throw std::logic_error("WinogradConv: multiples of 32 channels expected");
  }
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      points_.emplace_back(weights_of(weights, row, column),
                           std::vector<float>(bias.size()),
                           std::vector<std::int64_t>{num_inputs_});
    }
  }
}

void WinogradConv::run(const ImageIn& in, float* out, const float* add) const {
  const std::int64_t num_rows = (in.height + kTile - 1) / kTile;
  const std::int64_t num_columns = (in.width + kTile - 1) / kTile;
  const std::int64_t num_tiles = num_rows * num_columns;
  const std::int64_t in_size = point_size(num_inputs());
  const std::int64_t out_size = point_size(num_outputs());
  const auto values =
      std::make_unique_for_overwrite<float[]>(kPoints * (in_size + out_size));
  float* const in_points = values.get();
  float* const out_points = in_points + kPoints * in_size;
  std::array<Place, kBlockTiles> places;
  for (std::int64_t first = 0; first < num_tiles; first += kBlockTiles) {
    const auto num_places = static_cast<std::size_t>(
        std::min<std::int64_t>(kBlockTiles, num_tiles - first));
    for (std::size_t i = 0; i < num_places; ++i) {
      const auto tile = first + static_cast<std::int64_t>(i);
      places[i] = {tile / num_columns * kTile, tile % num_columns * kTile};
    }
    const std::span<const Place> block(places.data(), num_places);
    transform(in, num_inputs(), block, in_points);
    for (int point = 0; point < kPoints; ++point) {
      const RowsIn rows{in_points + point * in_size, num_inputs()};
      multiply(points_[point], {&rows, 1}, std::ssize(block), false,
               {out_points + point * out_size, num_outputs()});
    }
    transform_back(out_points, bias_, block, in, out, add);
  }
}

}  // namespace diarize::nn
