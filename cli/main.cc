#include "cli/run.h"

#include <malloc.h>

#include <climits>

// glibc gives large blocks back to the kernel after every operator of the
// networks; the page faults then take up to half of the time. So it keeps
// them, in one arena.
int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
  mallopt(M_ARENA_MAX, 1);
  return diarize::run(argc, argv);
}
