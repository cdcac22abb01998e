#pragma once

namespace diarize {

// How the program ends.
enum class ExitStatus {
  kAllDone = 0,
  kSomeFailed = 1,      // a file failed; the others are done
  kNothingStarted = 2,  // wrong usage, no model, no device
  kInterrupted = 130,   // by SIGINT; files finished before stay
  kTerminated = 143     // by SIGTERM
};

}  // namespace diarize
