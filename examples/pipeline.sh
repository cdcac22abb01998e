#!/usr/bin/env bash
# How long every speaker spoke in each recording, the longest first.
#
#   examples/pipeline.sh AUDIO...        files or folders
#
# Without --output-dir the turns of all recordings go to standard output, one
# RTTM line each; field 2 is the recording, 5 the seconds, 8 the speaker.

set -euo pipefail

diarize --quiet -- "$@" |
  awk '{seconds[$2 " " $8] += $5}
       END {for (who in seconds) printf "%s %.1f s\n", who, seconds[who]}' |
  sort -k 1,1 -k 3,3nr
