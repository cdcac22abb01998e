#include "io/checkpoint.h"

#include "core/error.h"
#include "tests/io/make_pickle.h"
#include "tests/io/make_zip.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace diarize::test;
using diarize::Checkpoint;
using diarize::FatalError;
using diarize::read_checkpoint;

// Six values in storage "0", and tensors on it as the case likes.
const std::string kStorage = raw_bytes<float>({0, 1, 2, 3, 4, 5});

PickledTensor tensor(std::vector<std::int32_t> shape,
                     std::vector<std::int32_t> strides,
                     std::int32_t offset = 0) {
  return {"0", "FloatStorage", 6, offset, std::move(shape), std::move(strides)};
}

Checkpoint read_pickle(const std::string& value,
                       Compression compression = Compression::kStored) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.bin";
  make_checkpoint(path, pickle_of(value), {{"0", kStorage}}, compression);
  return read_checkpoint(path);
}

// The message of the error that reading ends with, without the path; empty if
// there is none.
std::string refusal(const std::string& value) {
  try {
    (void)read_pickle(value);
  } catch (const FatalError& error) {
    const std::string message = error.what();
    return message.substr(message.find("model.bin: ") + 11);
  }
  return "";
}

std::string refusal(const PickledTensor& described) {
  return refusal(pickled_dict({{"w", pickled(described)}}));
}

}  // namespace

TEST_SUITE("checkpoint") {
  TEST_CASE("a plain state dict is read") {
    Checkpoint checkpoint =
        read_pickle(pickled_dict({{"w", pickled(tensor({2, 3}, {3, 1}))}}));
    CHECK(checkpoint.weights.num_tensors() == 1);
    CHECK(checkpoint.weights.take("w", {2, 3}).values ==
          std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(checkpoint.hyper_parameters.empty());
    CHECK_FALSE(checkpoint.architecture.has_value());
  }

  TEST_CASE("a Lightning checkpoint is read with what it says of itself") {
    const std::string lstm = pickled_dict(
        {{"hidden_size", pickled(128)}, {"monolithic", "\x88"}, {"x", "N"}});
    Checkpoint checkpoint = read_pickle(pickled_dict(
        {{"state_dict", pickled_dict({{"w", pickled(tensor({6}, {1}))}})},
         {"hyper_parameters",
          pickled_dict({{"lstm", lstm}, {"name", pickled("a")}})},
         {"pyannote.audio",
          pickled_dict({{"architecture",
                         pickled_dict({{"module", pickled("some.module")},
                                       {"class", pickled("PyanNet")}})}})}}));
    CHECK(checkpoint.weights.num_tensors() == 1);
    CHECK(checkpoint.hyper_parameters.size() == 3);
    CHECK(std::get<std::int64_t>(
              checkpoint.hyper_parameters.at("lstm.hidden_size")) == 128);
    CHECK(std::get<bool>(checkpoint.hyper_parameters.at("lstm.monolithic")));
    CHECK(std::get<std::string>(checkpoint.hyper_parameters.at("name")) == "a");
    REQUIRE(checkpoint.architecture.has_value());
    CHECK(checkpoint.architecture->class_name == "PyanNet");
    CHECK(checkpoint.architecture->module == "some.module");
  }

  TEST_CASE("offsets and strides and shared storages are honoured") {
    Checkpoint checkpoint = read_pickle(
        pickled_dict({{"transposed", pickled(tensor({3, 2}, {1, 3}))},
                      {"part", pickled(tensor({2}, {2}, 1))},
                      {"scalar", pickled(tensor({}, {}, 5))},
                      {"none", pickled(tensor({0}, {1}))}}));
    diarize::WeightMap& weights = checkpoint.weights;
    CHECK(weights.take("transposed", {3, 2}).values ==
          std::vector<float>{0, 3, 1, 4, 2, 5});
    CHECK(weights.take("part", {2}).values == std::vector<float>{1, 3});
    CHECK(weights.take("scalar", {}).values == std::vector<float>{5});
    CHECK(weights.take("none", {0}).values.empty());
    CHECK_NOTHROW(weights.finish());
  }

  TEST_CASE("a parameter is the tensor in it") {
    Checkpoint checkpoint = read_pickle(pickled_dict(
        {{"w",
          pickled_call(pickled_global("torch._utils", "_rebuild_parameter"),
                       {pickled(tensor({6}, {1})), "\x88", "N"})}}));
    CHECK(checkpoint.weights.take("w", {6}).values[5] == 5.0F);
  }

  TEST_CASE("tensors of other types are known by name only") {
    PickledTensor counter = tensor({}, {});
    counter.key = "absent";
    counter.storage_type = "LongStorage";
    counter.num_stored = 1;
    Checkpoint checkpoint =
        read_pickle(pickled_dict({{"n", pickled(counter)}}));
    CHECK(checkpoint.weights.num_tensors() == 0);
    CHECK(checkpoint.weights.has("n"));
    CHECK_THROWS_WITH_AS((void)checkpoint.weights.take("n", {}),
                         "tensor 'n' has int64 values, expected float32 "
                         "values of shape ()",
                         FatalError);
  }

  TEST_CASE("tensors outside their storage are refused") {
    const std::string outside =
        "tensor 'w' does not lie inside its storage of 6 values";
    CHECK(refusal(tensor({7}, {1})) == outside);
    CHECK(refusal(tensor({6}, {1}, 1)) == outside);
    CHECK(refusal(tensor({3}, {3})) == outside);
    CHECK(refusal(tensor({2, 3}, {4, 1})) == outside);
    CHECK(refusal(tensor({}, {}, 6)) == outside);
    CHECK(refusal(tensor({1000000}, {0})) == outside);
    CHECK(refusal(tensor({2, 2, 2}, {0, 0, 0})) == outside);
    const std::int32_t large = 0x7FFFFFFF;
    CHECK(refusal(tensor({large, large, large}, {large, large, large})) ==
          outside);
    CHECK(refusal(tensor({2}, {large})) == outside);
    CHECK(refusal(tensor({6}, {1}, large)) == outside);
    CHECK(refusal(tensor({1}, {1}, -1)) ==
          "tensor 'w' has a negative size or place");
    CHECK(refusal(tensor({-1}, {1})) ==
          "tensor 'w' has a negative size or place");
    CHECK(refusal(tensor({1, 1}, {1})) ==
          "tensor 'w' does not have a stride for each dimension");
    CHECK(refusal(tensor(std::vector<std::int32_t>(9, 1),
                         std::vector<std::int32_t>(9, 1))) ==
          "tensor 'w' has too many dimensions");
  }

  TEST_CASE("storages that are not as described are refused") {
    PickledTensor described = tensor({5}, {1});
    described.num_stored = 5;
    CHECK(refusal(described) ==
          "tensor 'w' has a storage of 24 bytes, expected 5 values of 4");
    described = tensor({6}, {1});
    described.key = "../0";
    CHECK(refusal(described) ==
          "tensor 'w' has no storage: the archive has no entry "
          "'archive/data/../0'");
    described = tensor({6}, {1});
    described.storage_type = "OddStorage";
    CHECK(refusal(described) ==
          "tensor 'w' has values of the unknown type 'torch.OddStorage'");
    PickledTensor other = tensor({6}, {1});
    other.storage_type = "IntStorage";
    CHECK(refusal(pickled_dict(
              {{"v", pickled(tensor({6}, {1}))}, {"w", pickled(other)}})) ==
          "tensor 'w' shares a storage that is described in two ways");
  }

  TEST_CASE("what is no state dict is refused") {
    CHECK(refusal("N") ==
          "the checkpoint holds None, expected a dict of tensors");
    CHECK(refusal("]") ==
          "the checkpoint holds a list, expected a dict of tensors");
    CHECK(refusal("}") == "the checkpoint has no tensors");
    CHECK(refusal(pickled_dict({{"state_dict", pickled(1)}})) ==
          "the checkpoint holds an integer, expected a dict of tensors");
    CHECK(refusal(pickled_dict({{"epoch", pickled(1)}})) ==
          "entry 'epoch' is an integer, expected a tensor");
    CHECK(refusal("}(" + pickled(1) + "Nu") ==
          "a tensor is named by an integer, expected a string");
    const std::string twice = pickled(tensor({6}, {1}));
    CHECK(refusal(pickled_dict({{"w", twice}, {"w", twice}})) ==
          "tensor 'w' is there twice");
  }

  TEST_CASE("a pickle that would run a command is refused and runs nothing") {
    const TemporaryFolder folder;
    const auto witness = folder.path() / "witness";
    const std::string command = pickled_call(
        pickled_global("os", "system"), {pickled("touch " + witness.string())});
    CHECK(refusal(command) ==
          "the checkpoint holds an object, expected a dict of tensors");
    CHECK(refusal(pickled_dict({{"w", command}})) ==
          "entry 'w' is an object, expected a tensor");
    // Beside real tensors it is inert.
    Checkpoint checkpoint = read_pickle(pickled_dict(
        {{"state_dict", pickled_dict({{"w", pickled(tensor({6}, {1}))}})},
         {"callbacks", command},
         {"hyper_parameters", pickled_dict({{"hidden", command}})}}));
    CHECK(checkpoint.hyper_parameters.empty());
    CHECK(checkpoint.weights.num_tensors() == 1);
    CHECK_FALSE(std::filesystem::exists(witness));
  }

  TEST_CASE("names with line ends stay on one line of the message") {
    const std::string message =
        refusal(pickled_dict({{"a\nb\x1b[31m", pickled(1)}}));
    CHECK(message == "entry 'a?b?[31m' is an integer, expected a tensor");
  }

  TEST_CASE("hyper-parameters that contain themselves come to an end") {
    // d = {"d": d, "n": 1}
    const std::string cyclic =
        "}q\x01(" + pickled("d") + "h\x01" + pickled("n") + pickled(1) + "u";
    const Checkpoint checkpoint = read_pickle(pickled_dict(
        {{"state_dict", pickled_dict({{"w", pickled(tensor({6}, {1}))}})},
         {"hyper_parameters", cyclic}}));
    CHECK(checkpoint.hyper_parameters.size() == 4);
  }

  TEST_CASE("compressed entries are refused") {
    const std::string text(1000, 'x');
    CHECK_THROWS_AS((void)read_pickle(
                        pickled_dict({{text, pickled(tensor({2, 3}, {3, 1}))}}),
                        Compression::kDeflated),
                    FatalError);
  }

  TEST_CASE("big-endian tensors are refused") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "model.bin";
    const std::string pickle =
        pickle_of(pickled_dict({{"w", pickled(tensor({6}, {1}))}}));
    make_zip(path, {{"a/data.pkl", pickle},
                    {"a/byteorder", "little"},
                    {"a/data/0", kStorage}});
    CHECK_NOTHROW((void)read_checkpoint(path));
    make_zip(path, {{"a/data.pkl", pickle},
                    {"a/byteorder", "big"},
                    {"a/data/0", kStorage}});
    CHECK_THROWS_AS((void)read_checkpoint(path), FatalError);
  }

  TEST_CASE("files that are no checkpoints are refused in one line") {
    const TemporaryFolder folder;
    std::string random;
    std::uint32_t state = 1;
    for (int i = 0; i < 5000; ++i) {
      state = state * 1664525 + 1013904223;
      random += static_cast<char>(state >> 24);
    }
    const auto zip = folder.path() / "other.zip";
    make_zip(zip, {{"readme.txt", "no model"}});
    const std::vector<std::filesystem::path> paths{
        folder.path() / "absent",
        folder.path(),
        folder.write("empty", ""),
        folder.write("random", random),
        folder.write("text", "model: none\n"),
        folder.write("legacy", pickle_of(pickled_dict({}))),
        zip};
    for (const auto& path : paths) {
      CAPTURE(path.string());
      std::string message;
      try {
        (void)read_checkpoint(path);
      } catch (const FatalError& error) {
        message = error.what();
      }
      CHECK(message.starts_with(path.string() + ": "));
      CHECK(message.find('\n') == std::string::npos);
    }
  }

  TEST_CASE("a file cut off anywhere is refused") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "model.bin";
    make_checkpoint(path,
                    pickle_of(pickled_dict({{"w", pickled(tensor({6}, {1}))}})),
                    {{"0", kStorage}});
    const std::string whole = read_bytes(path);
    CHECK_NOTHROW((void)read_checkpoint(path));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CAPTURE(length);
      CHECK_THROWS_AS((void)read_checkpoint(
                          folder.write("cut.bin", whole.substr(0, length))),
                      FatalError);
    }
  }

  TEST_CASE("a flipped byte is refused or changes what has no checksum") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "model.bin";
    make_checkpoint(path,
                    pickle_of(pickled_dict({{"w", pickled(tensor({6}, {1}))}})),
                    {{"0", kStorage}});
    const std::string whole = read_bytes(path);
    int num_refused = 0;
    for (std::size_t place = 0; place < whole.size(); ++place) {
      CAPTURE(place);
      std::string damaged = whole;
      damaged[place] = static_cast<char>(damaged[place] ^ 0xFF);
      try {
        Checkpoint checkpoint =
            read_checkpoint(folder.write("damaged.bin", damaged));
        // Values are under a checksum: what is read at all is right.
        CHECK(checkpoint.weights.take("w", {6}).values ==
              std::vector<float>{0, 1, 2, 3, 4, 5});
      } catch (const FatalError&) {
        ++num_refused;
      }
    }
    CHECK(num_refused > 150);
  }

  TEST_CASE("the segmentation of the default models is read") {
    const auto path = checkout_data("models/default/pytorch_model.bin");
    if (!path) return;
    Checkpoint checkpoint = read_checkpoint(*path);
    CHECK(checkpoint.weights.num_tensors() == 54);
    CHECK(checkpoint.weights.num_values() == 1473515);
    REQUIRE(checkpoint.architecture.has_value());
    CHECK(checkpoint.architecture->class_name == "PyanNet");
    CHECK(std::get<std::int64_t>(
              checkpoint.hyper_parameters.at("lstm.hidden_size")) == 128);
    const auto weight = checkpoint.weights.take("classifier.weight", {7, 128});
    for (const float value : weight.values) CHECK(std::abs(value) < 10.0F);
  }

  TEST_CASE("the embedding of the default models is read") {
    const auto path = checkout_data("models/default/campplus_cn_en_common.pt");
    if (!path) return;
    Checkpoint checkpoint = read_checkpoint(*path);
    CHECK(checkpoint.weights.num_tensors() == 815);
    CHECK(checkpoint.weights.num_values() == 6930720);
    CHECK(checkpoint.weights.names().size() == 937);
    CHECK(checkpoint.weights.discard(diarize::is_batch_counter) == 122);
    CHECK_FALSE(checkpoint.architecture.has_value());
  }
}
