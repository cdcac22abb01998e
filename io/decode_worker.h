#pragma once

#include "io/message_channel.h"

namespace diarize {

// The work of a decoder process: answers one request after the other (see
// decode_protocol.h) until the other end is gone. A file that cannot be done,
// lack of memory included, is answered and the next one is waited for.
//
// A request carries the descriptor of the file and, where that is no file on a
// disk, of an empty one to spool it into: this end opens nothing.
void serve_decoder(MessageChannel& channel);

}  // namespace diarize
