#pragma once

#include "io/byte_source.h"
#include "io/file_descriptor.h"

namespace diarize {

// Copies all of a stream into a file without a name below the temporary folder
// (TMPDIR, else /tmp) and returns it. The file goes when its descriptor is
// closed, however the program ends. Throws InputError when reading fails or
// the disk is full.
[[nodiscard]] FileDescriptor spool(ByteSource& stream);

}  // namespace diarize
