#pragma once

#include <cstdint>
#include <span>

namespace diarize::nn {

// Products of bfloat16 values summed up in float32, by the tiles of AMX or,
// where there are none, by AVX-512 with bfloat16. Only where cpu_level() is
// kAvx512Bf16 at least.
//
// Each adds up its inputs in an order of its own, so the sums of a row are the
// same bits whatever the number of rows and the place of its row; they differ
// in the last bits from one kind of processor to the other.

// Whether the products run by AMX: the processor has it, and Linux lets this
// process use it.
[[nodiscard]] bool has_amx();

inline constexpr int kBfloatTileRows = 32;
inline constexpr int kBfloatTileColumns = 32;
inline constexpr int kBfloatTileInputs = 32;  // of each run, a multiple

// Rounds to the nearest bfloat16, half to even.
void to_bfloat16(std::span<const float> in, std::uint16_t* out);

// The same, and what it leaves over, rounded too: 16 bits of each value in two
// parts. Values beyond the range of bfloat16 (3.39e38) have no low part that is
// a number.
void split_bfloat16(std::span<const float> in, std::uint16_t* high,
                    std::uint16_t* low);

// Inputs of a run: row r from first[r * stride] on.
struct BfloatRows {
  const std::uint16_t* first;
  std::int64_t stride;
};

struct BfloatTile {
  std::span<const BfloatRows> inputs;
  const std::int64_t* runs;  // lengths, multiples of kBfloatTileInputs
  int num_rows;              // 1 to kBfloatTileRows
  // (inputs / 2, kBfloatTileColumns, 2): weights of pairs of inputs.
  const std::uint16_t* panel;
  // If not 0, inputs and weights are split: each input's low part lies so far
  // behind its high part, and each kBfloatTileInputs weights of the panel, high
  // parts, are followed by their low parts. The sum has three of the four
  // products of parts.
  std::int64_t to_low;
  // 1; or, of up to kBfloatTileRows / 2 rows, also 2: the panel behind is taken
  // along.
  int num_panels;
  // What sums begin with, row r from add[r * add_stride] on; null: zeros.
  const float* add;
  std::int64_t add_stride;
  float* sums;  // row r from sums[r * stride] on; may be `add`
  std::int64_t stride;
};

// Sets up the processor for tiles while it lives; on one thread, with no torch
// call meanwhile.
class BfloatTiles {
 public:
  BfloatTiles();
  ~BfloatTiles();
  BfloatTiles(const BfloatTiles&) = delete;
  BfloatTiles& operator=(const BfloatTiles&) = delete;

  void multiply(const BfloatTile& tile);

 private:
  bool has_amx_;
  int configured_rows_ = 0;
};

}  // namespace diarize::nn
