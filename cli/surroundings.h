#pragma once

#include "cli/config_layers.h"

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
};

}  // namespace diarize
