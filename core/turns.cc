#include "core/turns.h"

#include <algorithm>
#include <tuple>

namespace diarize {
namespace {

// A turn by its ends.
struct Span {
  double onset = 0.0;
  double end = 0.0;
  std::int32_t cluster = 0;
};

void sort_turns(Turns& turns) {
  std::ranges::sort(turns, {}, [](const Turn& turn) {
    return std::tuple(turn.onset, turn.duration, turn.speaker);
  });
}

std::vector<Span> spans_of(const SpeakerActivity& activity,
                           const TurnRules& options) {
  std::vector<Span> spans;
  spans.reserve(activity.runs.size());
  for (const ActiveRun& run : activity.runs) {
    const std::int64_t end = std::min(run.end_frame, activity.num_frames - 1);
    spans.push_back({options.frame_time(run.first_frame),
                     options.frame_time(end), run.cluster});
  }
  return spans;
}

// Whether any of the onsets lies between the ends of a gap. Spans that do not
// overlap intrude on a gap exactly if they start in it.
bool intruded(const std::vector<double>& onsets, double begin, double end) {
  const auto next = std::ranges::lower_bound(onsets, begin);
  return next != onsets.end() && *next < end;
}

// Joins spans of a cluster whose gap is short; spans are by cluster.
std::vector<Span> fill_gaps(const std::vector<Span>& spans,
                            const TurnRules& options) {
  std::vector<double> onsets;
  if (options.fill_silence_only) {
    for (const Span& span : spans) onsets.push_back(span.onset);
    std::ranges::sort(onsets);
  }
  std::vector<Span> filled;
  for (const Span& span : spans) {
    const bool joins =
        !filled.empty() && filled.back().cluster == span.cluster &&
        span.onset - filled.back().end < options.min_duration_off &&
        !intruded(onsets, filled.back().end, span.onset);
    if (joins) {
      filled.back().end = span.end;
    } else {
      filled.push_back(span);
    }
  }
  return filled;
}

}  // namespace

Turns make_turns(const SpeakerActivity& activity, const TurnRules& options) {
  std::vector<Span> spans = spans_of(activity, options);
  if (options.min_duration_off > 0.0) spans = fill_gaps(spans, options);
  Turns turns;
  for (const Span& span : spans) {
    if (span.end - span.onset < options.min_duration_on) continue;
    const double duration = std::min(span.end, options.end) - span.onset;
    if (duration <= options.longest_dropped) continue;
    turns.push_back({span.onset, duration, span.cluster});
  }
  sort_turns(turns);
  return turns;
}

std::vector<std::int32_t> labels_by_appearance(const Turns& turns,
                                               std::size_t num_clusters) {
  std::vector<std::int32_t> labels(num_clusters, -1);
  std::int32_t num_labels = 0;
  for (const Turn& turn : turns) {
    if (labels[turn.speaker] < 0) labels[turn.speaker] = num_labels++;
  }
  return labels;
}

Turns relabel(Turns turns, std::span<const std::int32_t> labels) {
  for (Turn& turn : turns) turn.speaker = labels[turn.speaker];
  sort_turns(turns);
  return turns;
}

}  // namespace diarize
