#include "tests/nn/golden.h"

#include "tests/support/shared_data.h"

#include <ATen/ATen.h>
#include <sndfile.hh>

namespace diarize::test {

at::Tensor golden_tensor(const NpzFile& file, std::string_view name) {
  const std::vector<std::size_t> sizes = file.shape(name);
  const std::vector<std::int64_t> shape(sizes.begin(), sizes.end());
  std::vector<float> values = file.values<float>(name);
  return at::from_blob(values.data(), shape, at::TensorOptions(at::kFloat))
      .clone();
}

std::optional<NpzFile> golden_file(const std::string& recording,
                                   const std::string& stage) {
  const auto path =
      shared_data("goldens/default/" + recording + "/" + stage + ".npz");
  if (!path) return std::nullopt;
  return NpzFile(*path);
}

std::optional<std::vector<float>> recording_samples(const std::string& file) {
  const auto path = shared_data("data/conversations/" + file);
  if (!path) return std::nullopt;
  SndfileHandle handle(path->string());
  std::vector<float> samples(static_cast<std::size_t>(handle.frames()));
  samples.resize(
      static_cast<std::size_t>(handle.readf(samples.data(), handle.frames())));
  return samples;
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

double relative_difference(const at::Tensor& found,
                           const at::Tensor& expected) {
  return largest_difference(found, expected) /
         expected.abs().max().item<double>();
}

}  // namespace diarize::test
