#pragma once

#include <cstdint>
#include <string>

namespace diarize {

// Limits the address space of this process; what it asks for beyond fails.
// Throws FatalError if the system refuses.
void limit_memory(std::int64_t bytes);

// Gives up all this process does not need to turn an open descriptor into
// samples: from now on it can read, write and seek in what it has open, use
// memory, and end. It cannot open a file, reach a network, start a program,
// send a signal to another process or gain privileges (libseccomp; all else
// fails with EPERM). Throws FatalError if the system refuses.
void enter_sandbox();

// One line on the two for people: "seccomp (libseccomp 2.5.4)".
[[nodiscard]] std::string sandbox_name();

}  // namespace diarize
