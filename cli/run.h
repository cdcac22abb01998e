#pragma once

namespace diarize {

// The program: run_program() on the command line of main(), with the streams
// of this process and the engine. Returns its exit status.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace diarize
