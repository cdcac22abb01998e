#include "cli/options.h"

#include "core/cpu_level.h"
#include "core/error.h"

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include <string>
#include <vector>

using diarize::add_options;
using diarize::FatalError;
using diarize::Options;
using diarize::validate;

namespace {

using Arguments = std::vector<std::string>;

// The options of a command line, validated.
Options parsed(Arguments arguments) {
  Options options;
  CLI::App app;
  add_options(app, options);
  app.parse(Arguments(arguments.rbegin(), arguments.rend()));
  validate(options);
  return options;
}

// What is said about a command line; empty if nothing is wrong with it.
std::string refusal(const Arguments& arguments) {
  try {
    static_cast<void>(parsed(arguments));
  } catch (const FatalError& error) {
    return error.what();
  }
  return {};
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("options") {
  TEST_CASE("defaults are those that the help shows") {
    const Options options = parsed({"a.wav"});
    CHECK(options.output.formats == Arguments{"rttm"});
    CHECK(options.output.output_dir.empty());
    CHECK(options.pipeline.preset == "balanced");
    CHECK_FALSE(options.pipeline.step.has_value());
    CHECK(options.audio.channel == "mix");
    CHECK(options.machine.batch_size == "auto");
    CHECK(options.machine.threads >= 1);
  }

  TEST_CASE("model paths are repeated and take no inputs") {
    const Options options =
        parsed({"--model-path", "m", "a.wav", "--model-path", "n"});
    CHECK(options.pipeline.model_paths == Arguments{"m", "n"});
    CHECK(options.input.audio == Arguments{"a.wav"});
  }

  TEST_CASE("formats come with commas or repeated") {
    const Arguments both{"rttm", "json"};
    CHECK(parsed({"-o", "out", "-f", "rttm,json", "a"}).output.formats == both);
    CHECK(
        parsed({"-o", "out", "-f", "rttm", "-f", "json", "a"}).output.formats ==
        both);
  }

  TEST_CASE("an option with a list does not take the inputs behind it") {
    CHECK(parsed({"-f", "json", "a.wav", "b.wav"}).input.audio ==
          Arguments{"a.wav", "b.wav"});
  }

  TEST_CASE("names that begin with a dash come after two dashes") {
    CHECK(parsed({"--", "-rf.wav"}).input.audio == Arguments{"-rf.wav"});
    CHECK(parsed({"-"}).input.audio == Arguments{"-"});
  }

  TEST_CASE("good values are taken") {
    CHECK(refusal({"a", "--num-speakers", "3"}).empty());
    CHECK(refusal({"a", "--min-speakers", "2", "--max-speakers", "2"}).empty());
    CHECK(refusal({"a", "--step", "0.29"}).empty());
    CHECK(refusal({"a", "--channel", "2"}).empty());
    CHECK(refusal({"a", "--channel", "each"}).empty());
    CHECK(refusal({"a", "--batch-size", "1"}).empty());
    CHECK(refusal({"a", "--threshold", "-0.5"}).empty());
    CHECK(refusal({"a", "--min-duration-off", "0"}).empty());
  }

  TEST_CASE("a value out of range is refused by the name of its flag") {
    const std::vector<Arguments> bad = {{"--num-speakers", "0"},
                                        {"--num-speakers", "-1"},
                                        {"--min-speakers", "0"},
                                        {"--max-speakers", "0"},
                                        {"--step", "0"},
                                        {"--step", "0.005"},
                                        {"--step", "11"},
                                        {"--channel", "0"},
                                        {"--memory-limit", "0"},
                                        {"--memory-limit", "much"},
                                        {"--channel", "left"},
                                        {"--channel", "1x"},
                                        {"--batch-size", "0"},
                                        {"--batch-size", "many"},
                                        {"--start", "1e15"},
                                        {"--duration", "0"},
                                        {"--duration", "1e300"},
                                        {"--threads", "0"},
                                        {"--threads", "1025"},
                                        {"--decode-workers", "-1"},
                                        {"--decode-workers", "1025"},
                                        {"--decode-timeout", "0"},
                                        {"--decode-timeout", "inf"},
                                        {"--preset", "best"},
                                        {"--resampler", "linear"},
                                        {"--format", "xml"},
                                        {"--min-duration-on", "-1"},
                                        {"--min-duration-off", "-0.1"},
                                        {"--threshold", "nan"},
                                        {"--format", "rttm,json"}};
    for (const Arguments& flag_and_value : bad) {
      CAPTURE(flag_and_value[0]);
      CAPTURE(flag_and_value[1]);
      const std::string said =
          refusal({"a", flag_and_value[0], flag_and_value[1]});
      CHECK(mentions(said, flag_and_value[0]));
    }
  }

  TEST_CASE("more speakers at least than at most are refused") {
    const std::string said =
        refusal({"a", "--min-speakers", "3", "--max-speakers", "2"});
    CHECK(mentions(said, "--min-speakers: 3"));
    CHECK(mentions(said, "2 of --max-speakers"));
  }

  TEST_CASE("a number that is none is wrong usage") {
    CHECK_THROWS_AS(parsed({"a", "--num-speakers", "two"}), CLI::ParseError);
    CHECK_THROWS_AS(parsed({"a", "--threads", "1.5"}), CLI::ParseError);
    CHECK_THROWS_AS(parsed({"a", "--no-such-flag"}), CLI::ParseError);
  }

  TEST_CASE("a limit of memory is a size or none") {
    CHECK_FALSE(diarize::memory_limit_bytes({}));
    CHECK(diarize::memory_limit_bytes({.memory_limit = "2M"}) == std::size_t{2}
                                                                     << 20);
    CHECK(refusal({"a", "--memory-limit", "1.5GiB"}).empty());
    CHECK(refusal({"a", "--memory-limit", "few"}) ==
          "--memory-limit: few given, bytes such as 500M or 2G expected");
  }

  TEST_CASE("channels and batches are read from their words") {
    CHECK_FALSE(diarize::selected_channel({.channel = "mix"}).has_value());
    CHECK_FALSE(diarize::selected_channel({.channel = "each"}).has_value());
    CHECK(diarize::selected_channel({.channel = "2"}) == 2);
    CHECK_FALSE(diarize::batch_chunks({}).has_value());
    CHECK(diarize::batch_chunks({.batch_size = "16"}) == 16);
  }

  TEST_CASE("a device that is not there is refused with those that are") {
    CHECK(diarize::chosen_device({}) == "cpu");
    CHECK(diarize::chosen_device({.device = "cpu"}) == "cpu");
    CHECK_THROWS_WITH_AS(
        static_cast<void>(diarize::chosen_device({.device = "cuda:9"})),
        "--device: cuda:9 is not in this build; devices: cpu", FatalError);
  }

  TEST_CASE("the precision is float32 unless another is asked for") {
    CHECK(diarize::chosen_precision({}) == diarize::Precision::kFloat32);
  }

  TEST_CASE("precisions of GPUs are refused with those there are") {
    for (const std::string name : {"tf32", "fp16"}) {
      CHECK_THROWS_WITH_AS(
          static_cast<void>(diarize::chosen_precision({.precision = name})),
          doctest::Contains(
              (name + " is not for processors, only for GPUs; there are: fp32")
                  .c_str()),
          FatalError);
    }
  }

  TEST_CASE("bfloat16 is refused by processors that lack it") {
    const diarize::CpuLevelLimit limit(diarize::CpuLevel::kAvx512);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(diarize::chosen_precision({.precision = "bf16"})),
        "--precision: bf16 is not for this processor; there are: fp32",
        FatalError);
    CHECK(diarize::chosen_precision({.precision = "auto"}) ==
          diarize::Precision::kFloat32);
  }

  TEST_CASE("auto takes bfloat16 where the processor has it") {
    if (diarize::cpu_level() < diarize::CpuLevel::kAvx512Bf16) {
      MESSAGE("skipped: no bfloat16 here");
      return;
    }
    for (const char* name : {"bf16", "auto"}) {
      CHECK(diarize::chosen_precision({.precision = name}) ==
            diarize::Precision::kBfloat16);
    }
  }
}
