#pragma once

#include "core/error.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <string>

namespace diarize::nn {

// Runs a function that uses torch: one thread, no gradients, and torch's
// errors turned into FatalError (memory spent, an operator missing).
template <typename Function>
auto in_torch(Function function) {
  try {
    if (at::get_num_threads() != 1) at::set_num_threads(1);
    const c10::InferenceMode guard;
    return function();
  } catch (const c10::Error& error) {
    throw FatalError(std::string("LibTorch: ") +
                     error.what_without_backtrace());
  }
}

}  // namespace diarize::nn
