#pragma once

#include "io/byte_source.h"
#include "io/file_descriptor.h"

namespace diarize {

// A new file without a name below the temporary folder (TMPDIR, else /tmp). It
// goes when its descriptor is closed, however the program ends. Throws
// InputError if there can be none.
[[nodiscard]] FileDescriptor make_nameless_file();

// Copies all of a stream into `target`, an empty file, and returns it. Throws
// InputError when reading fails or the disk is full.
[[nodiscard]] FileDescriptor spool(ByteSource& stream, FileDescriptor target);

}  // namespace diarize
