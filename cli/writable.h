#pragma once

#include "cli/options.h"

namespace diarize {

// Throws FatalError, naming the flag, if --manifest or --profile names a file
// that cannot be written, or --output-dir a folder that is not there and cannot
// be made. Makes and changes nothing: this is to be found out before work
// starts.
void require_writable_targets(const Options& options);

}  // namespace diarize
