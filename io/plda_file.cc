#include "io/plda_file.h"

#include "core/error.h"
#include "io/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace diarize {
namespace {

constexpr std::size_t kEmbedding = 256;
constexpr std::size_t kReduced = 128;

constexpr std::string_view kFloat32 = "<f4";
constexpr std::string_view kFloat64 = "<f8";

// An .npz file of which every array is known.
class PldaFile {
 public:
  explicit PldaFile(const std::filesystem::path& path)
      : path_(path), file_(path) {}

  template <std::size_t N>
  [[nodiscard]] Array<double, N> read(
      std::string_view name, std::string_view dtype,
      const typename Array<double, N>::Shape& shape) const {
    auto array = file_.array<double, N>(name);
    if (array.shape() != shape) {
      fail(name,
           fmt::format("has shape ({}), expected ({})",
                       fmt::join(array.shape(), ", "), fmt::join(shape, ", ")));
    }
    if (const std::string found = file_.dtype(name); found != dtype) {
      fail(name, fmt::format("has values of dtype '{}', expected '{}'", found,
                             dtype));
    }
    if (!std::ranges::all_of(array.values(),
                             [](double x) { return std::isfinite(x); })) {
      fail(name, "has a value that is not finite");
    }
    return array;
  }

  [[noreturn]] void fail(std::string_view name, std::string_view what) const {
    throw FatalError(fmt::format("{}: {}: {}", path_.string(), name, what));
  }

 private:
  std::filesystem::path path_;
  NpzFile file_;
};

}  // namespace

PldaModel read_plda(const std::filesystem::path& folder) {
  const PldaFile transform(folder / "xvec_transform.npz");
  const PldaFile plda(folder / "plda.npz");
  PldaModel model;
  model.mean1 = transform.read<1>("mean1", kFloat64, {kEmbedding});
  model.mean2 = transform.read<1>("mean2", kFloat32, {kReduced});
  model.lda = transform.read<2>("lda", kFloat32, {kEmbedding, kReduced});
  model.mu = plda.read<1>("mu", kFloat64, {kReduced});
  model.tr = plda.read<2>("tr", kFloat64, {kReduced, kReduced});
  model.psi = plda.read<1>("psi", kFloat64, {kReduced});
  if (std::ranges::any_of(model.psi.values(),
                          [](double x) { return x <= 0.0; })) {
    plda.fail("psi", "has a value that is not positive");
  }
  return model;
}

}  // namespace diarize
