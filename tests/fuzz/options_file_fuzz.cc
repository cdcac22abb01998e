#include "cli/config_layers.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

#include <CLI/CLI.hpp>

// The file of --config.
void diarize::test::fuzz(std::span<const std::byte> input) {
  const MemoryFile memory(input);
  std::vector<std::string> audio;
  std::vector<std::string> formats;
  int num_speakers = 0;
  double threshold = 0.0;
  bool exclusive = false;
  CLI::App app;
  app.add_option("AUDIO", audio);
  app.add_option("-f,--format", formats)->delimiter(',');
  app.add_option("--num-speakers", num_speakers);
  app.add_option("--threshold", threshold);
  app.add_flag("--exclusive", exclusive);
  const Environment empty = [](const std::string&) { return std::nullopt; };
  try {
    parse_layered(app, "", {"--config", memory.path().string()}, empty);
  } catch (const CLI::ParseError&) {
    // Wrong usage, told by cli/app.cc.
  }
}
