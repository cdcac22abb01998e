#pragma once

namespace diarize::bench {

// Float32 operations a second of this core, in units of 1e9: independent
// fused multiply-adds on the widest registers it has (two operations each),
// best of several runs of a few milliseconds, by the time of the thread.
[[nodiscard]] double measure_fma_peak();

// Time this thread has run, in seconds.
[[nodiscard]] double thread_seconds();

}  // namespace diarize::bench
