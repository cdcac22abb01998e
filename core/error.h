#pragma once

#include <stdexcept>
#include <string>

namespace diarize {

// What goes wrong outside the program: says what was expected and what was
// found. The path of the input is put in front once, by the batch.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// This recording cannot be done; the batch goes on with the next.
class InputError : public Error {
 public:
  using Error::Error;
};

// Nothing can be done: wrong usage, no model, no device.
class FatalError : public Error {
 public:
  using Error::Error;
};

}  // namespace diarize
