#pragma once

#include <sys/types.h>

#include <vector>

namespace diarize::test {

// The other programs that `parent` has started and not yet waited for, in no
// order.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent);

// From here on this process inherits those that its children leave behind
// (PR_SET_CHILD_SUBREAPER), so that none escapes the next function.
void adopt_orphans();

// Waits for all processes that this one has started or inherited, for as long
// as they take, and returns how many there were.
[[nodiscard]] int wait_for_orphans();

}  // namespace diarize::test
