# diarize_flags: the warnings and sanitizers of our own targets.

option(DIARIZE_WERROR "Treat warnings as errors" OFF)
set(DIARIZE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

add_library(diarize_flags INTERFACE)
target_compile_features(diarize_flags INTERFACE cxx_std_20)
target_compile_options(diarize_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-qual -Wformat=2 -Wundef
  # Later g++ see null pointers inside the standard library's containers.
  $<$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>:-Wnull-dereference>
  $<$<BOOL:${DIARIZE_WERROR}>:-Werror>)
if(DIARIZE_SANITIZE)
  target_compile_options(diarize_flags INTERFACE
    -fsanitize=${DIARIZE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -g1 -O1)
  target_link_options(diarize_flags INTERFACE -fsanitize=${DIARIZE_SANITIZE})
endif()
