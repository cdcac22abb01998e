#pragma once

#include "cli/console.h"
#include "cli/exit_status.h"
#include "cli/inputs.h"
#include "cli/options.h"

#include <functional>
#include <vector>

namespace diarize {

// Says, a line a job, what would be done to it and where its outputs would go.
// Reads the headers of the files, writes nothing, loads no model. Returns
// kSomeFailed if a file cannot be opened. interruption: the signal that ends
// it, 0 as long as there is none.
[[nodiscard]] ExitStatus dry_run(const std::vector<Job>& jobs,
                                 const Options& options, Console& console,
                                 const std::function<int()>& interruption);

}  // namespace diarize
