// Prints how long every speaker of a recording talks.
//
//   talking_time MODEL_FOLDER AUDIO

#include "core/default_recipe.h"
#include "core/engine/engine.h"
#include "core/nn/load_networks.h"
#include "io/checkpoint.h"
#include "io/decoder.h"
#include "io/model_directory.h"

#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <span>

namespace {

std::shared_ptr<const diarize::Networks> load_networks(const char* folder) {
  const auto model = diarize::read_model_directory(folder);
  return diarize::load_default_networks(
      diarize::read_checkpoint(model.segmentation).weights,
      diarize::read_checkpoint(model.embedding).weights);
}

diarize::Diarization diarize_file(diarize::Engine& engine, const char* path) {
  diarize::Session session = engine.open({});
  (void)diarize::decode_file(
      path, {}, [&](std::span<const float> samples) { session.push(samples); });
  return session.finish().get();
}

void print_talking_time(const diarize::Turns& turns) {
  std::map<int, double> seconds;
  for (const diarize::Turn& turn : turns) {
    seconds[turn.speaker] += turn.duration;
  }
  for (const auto& [speaker, total] : seconds) {
    std::printf("SPEAKER_%02d %.1f s\n", speaker, total);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: talking_time MODEL_FOLDER AUDIO\n", stderr);
    return 2;
  }
  try {
    diarize::Engine engine(load_networks(argv[1]),
                           std::make_shared<diarize::DefaultRecipe>(
                               diarize::DefaultRecipeOptions{}),
                           {});
    print_talking_time(diarize_file(engine, argv[2]).turns);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "talking_time: %s\n", error.what());
    return 1;
  }
}
