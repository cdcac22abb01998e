#pragma once

#include "cli/config_layers.h"

#include <functional>
#include <iosfwd>

namespace diarize {

// What the program reads and writes beside files, so that tests can give it
// their own.
struct Surroundings {
  std::istream& input;   // standard input, for --input-list -
  std::ostream& output;  // results and nothing else
  std::ostream& errors;  // all else that is said
  bool errors_are_terminal = false;
  Environment environment = process_environment;
  // The signal that asks for an end, 0 as long as there is none.
  std::function<int()> interruption = [] { return 0; };
};

}  // namespace diarize
