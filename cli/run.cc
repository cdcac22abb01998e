#include "cli/run.h"

#include "cli/app.h"
#include "cli/engine_diarizer.h"
#include "cli/signal_watch.h"

#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

namespace diarize {

int run(int argc, const char* const* argv) {
  const SignalWatch signals;
  // A file that may not grow is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  const Surroundings surroundings{std::cin,
                                  std::cout,
                                  std::cerr,
                                  ::isatty(STDERR_FILENO) == 1,
                                  process_environment,
                                  [&] { return signals.received(); }};
  return run_program(
      std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc),
      surroundings, {load_engine_diarizer, check_engine_diarizer});
}

}  // namespace diarize
