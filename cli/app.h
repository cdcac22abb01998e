#pragma once

#include "cli/main_job.h"
#include "cli/surroundings.h"

#include <string>
#include <vector>

namespace diarize {

// Runs the program on its arguments (without its name), of which the first
// may name a sub-command. Returns its exit status.
//
// model: that of the main job.
// Catches everything that usage or files can bring about, and says it in one
// line on the errors of the surroundings.
[[nodiscard]] int run_program(const std::vector<std::string>& arguments,
                              const Surroundings& surroundings,
                              const ModelAccess& model);

}  // namespace diarize
