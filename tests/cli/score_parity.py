#!/usr/bin/env python3
"""Compares `diarize score` with pyannote.metrics.

    score_parity.py DIARIZE [--rounds N]

References are those of the shared test data, where it is there, and made-up
ones. Each is scored against copies of itself that are disturbed with a fixed
seed: boundaries shifted, turns dropped, speakers swapped, split, joined and
renamed, speakers and files that one side lacks, overlapping turns of one
label. Every component has to agree to a nanosecond, for each file and pooled.

Ends with 77, which ctest shows as skipped, if there is no pyannote.metrics;
scripts/test installs it.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = ROOT / ".deps" / "venv"
SKIPPED = 77
TOLERANCE = 1e-9  # s; sums of rounding errors stay near 1e-12

try:
    from pyannote.core import Annotation, Segment, Timeline
    from pyannote.metrics.diarization import (
        DiarizationErrorRate,
        JaccardErrorRate,
    )
except ImportError as error:
    python = VENV / "bin" / "python"
    if pathlib.Path(sys.prefix) != VENV and python.exists():
        os.execv(python, [str(python), *sys.argv])
    print(f"skipped: {error}; scripts/test installs it into {VENV}")
    sys.exit(SKIPPED)


# A turn is (onset, duration, label) in text, as in the file, so that both
# sides read the same numbers.


def read_rttm(path):
    rows = [line.split() for line in path.read_text("utf-8").splitlines()]
    return [(row[3], row[4], row[7]) for row in rows if row[:1] == ["SPEAKER"]]


def write_rttm(path, file_id, turns):
    with open(path, "w", encoding="utf-8") as file:
        for onset, duration, label in turns:
            file.write(f"SPEAKER {file_id} 1 {onset} {duration} <NA> <NA> "
                       f"{label} <NA> <NA>\n")


def annotation(file_id, turns):
    result = Annotation(uri=file_id)
    for track, (onset, duration, label) in enumerate(turns):
        start = float(onset)
        result[Segment(start, start + float(duration)), track] = label
    return result


def shared_references():
    shared = pathlib.Path(os.environ.get("DIARIZE_SHARED", ROOT / "../shared"))
    folder = shared / "data" / "conversations"
    paths = sorted(folder.glob("*.rttm"))
    if not paths:
        print(f"no references in {folder}, taking made-up ones alone")
    return {path.stem.replace(".", "_"): read_rttm(path) for path in paths}


def made_up_reference(rng, num_turns, num_speakers, digits):
    turns, time = [], 0.0
    for _ in range(num_turns):
        time = max(0.0, time + rng.uniform(-2.0, 4.0))
        duration = rng.expovariate(0.5)
        label = f"speaker{rng.randrange(num_speakers)}"
        turns.append((f"{time:.{digits}f}", f"{duration:.{digits}f}", label))
    return turns


def made_up_references(rng):
    return {
        # Whole seconds: many boundaries and overlaps are exactly equal.
        "made_up_seconds": made_up_reference(rng, 40, 4, 0),
        "made_up_tenths": made_up_reference(rng, 80, 3, 1),
        "made_up_exact": made_up_reference(rng, 60, 5, 17),
        # More than 26 labels, and hypotheses with more than 10.
        "made_up_crowd": made_up_reference(rng, 200, 60, 2),
        "made_up_one": made_up_reference(rng, 5, 1, 3),
        "made_up_empty": [],
    }


def shift(rng, turns, size):
    result = []
    for onset, duration, label in turns:
        start = max(0.0, float(onset) + rng.uniform(-size, size))
        length = max(0.0, float(duration) + rng.uniform(-size, size))
        result.append((repr(start), repr(length), label))
    return result


def shift_milliseconds(rng, turns, size):
    return [(f"{float(onset):.3f}", f"{float(duration):.3f}", label)
            for onset, duration, label in shift(rng, turns, size)]


def drop(rng, turns):
    return [turn for turn in turns if rng.random() > 0.2]


def labels_of(turns):
    return sorted({label for _, _, label in turns})


def swap_speakers(rng, turns):
    labels = labels_of(turns)
    swapped = [label if rng.random() > 0.2 else rng.choice(labels)
               for _, _, label in turns]
    return [(onset, duration, label)
            for (onset, duration, _), label in zip(turns, swapped)]


def split_speakers(rng, turns):
    return [(onset, duration, f"{label}_{rng.randrange(3)}")
            for onset, duration, label in turns]


def join_speakers(rng, turns):
    target = {label: rng.randrange(3) for label in labels_of(turns)}
    return [(onset, duration, f"joined{target[label]}")
            for onset, duration, label in turns]


def rename(rng, turns):
    labels = labels_of(turns)
    names = [f"SPEAKER_{number:02d}" for number in range(len(labels))]
    rng.shuffle(names)
    new = dict(zip(labels, names))
    return [(onset, duration, new[label]) for onset, duration, label in turns]


def add_stranger(rng, turns):
    return turns + [(repr(rng.uniform(0.0, 40.0)), repr(rng.uniform(0.0, 5.0)),
                     "stranger") for _ in range(4)]


def remove_speaker(rng, turns):
    labels = labels_of(turns)
    gone = rng.choice(labels) if labels else None
    return [turn for turn in turns if turn[2] != gone]


def overlap_oneself(rng, turns):
    result = list(turns)
    for onset, duration, label in turns:
        if rng.random() < 0.3:
            start = float(onset) + rng.uniform(0.0, float(duration))
            result.append((repr(start), duration, label))
    return result


def double_lines(rng, turns):
    return turns + [turn for turn in turns if rng.random() < 0.2]


def cut_in_two(rng, turns):
    result = []
    for onset, duration, label in turns:
        start, length = float(onset), float(duration)
        result.append((onset, repr(length / 2), label))
        result.append((repr(start + length / 2), repr(length / 2), label))
    return result


def empty(rng, turns):
    return []


DISTURBANCES = [
    lambda rng, turns: turns,
    lambda rng, turns: shift(rng, turns, 0.3),
    lambda rng, turns: shift_milliseconds(rng, turns, 0.5),
    drop, swap_speakers, split_speakers, join_speakers, rename, add_stranger,
    remove_speaker, overlap_oneself, double_lines, cut_in_two, empty,
]


def disturbed(rng, turns):
    for disturbance in rng.sample(DISTURBANCES, rng.randrange(1, 4)):
        turns = disturbance(rng, turns)
    if rng.random() < 0.5:
        turns = list(turns)
        rng.shuffle(turns)
    return turns


def random_uem(rng, turns):
    end = max([float(t[0]) + float(t[1]) for t in turns], default=10.0) + 5.0
    spans = []
    for _ in range(rng.randrange(1, 4)):
        start = rng.uniform(-1.0, end)
        spans.append((start, start + rng.uniform(0.0, end)))
    return spans


def expected_scores(pairs, uems, collar, skip_overlap):
    """Per file and pooled components as pyannote.metrics has them."""
    options = {"collar": 2 * collar, "skip_overlap": skip_overlap}
    der, jer = DiarizationErrorRate(**options), JaccardErrorRate(**options)
    scores = {}
    for file_id, (reference, hypothesis) in pairs.items():
        uem = None
        if uems is not None:
            uem = Timeline([Segment(*span) for span in uems[file_id]])
        both = annotation(file_id, reference), annotation(file_id, hypothesis)
        components = der(*both, uem=uem, detailed=True)
        try:
            components.update(jer(*both, uem=uem, detailed=True))
        except ZeroDivisionError:  # no reference speaker: it has no JER
            components.update({"speaker count": 0, "speaker error": 0.0})
        scores[file_id] = components
    pooled = dict(der[:])
    pooled["diarization error rate"] = abs(der)
    for name in ("speaker count", "speaker error"):
        pooled[name] = sum(score[name] for score in scores.values())
    if pooled["speaker count"] > 0:
        pooled["jaccard error rate"] = (
            pooled["speaker error"] / pooled["speaker count"])
    scores[None] = pooled
    return scores


NAMES = {
    "missed": "missed detection",
    "false_alarm": "false alarm",
    "confusion": "confusion",
    "total": "total",
    "der": "diarization error rate",
    "speakers": "speaker count",
    "speaker_error": "speaker error",
    "jer": "jaccard error rate",
}


def run_diarize(program, folder, uems, collar, skip_overlap):
    command = [program, "score", "--json", "--collar", repr(collar),
               "--ref", str(folder / "ref"), "--hyp", str(folder / "hyp")]
    if skip_overlap:
        command.append("--skip-overlap")
    if uems is not None:
        lines = [f"{file_id} 1 {start!r} {end!r}\n"
                 for file_id, spans in uems.items() for start, end in spans]
        (folder / "some.uem").write_text("".join(lines))
        command += ["--uem", str(folder / "some.uem")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {run.returncode}:\n"
                 f"{run.stderr}")
    report = json.loads(run.stdout)
    scores = {file["file_id"]: file for file in report["files"]}
    scores[None] = report["pooled"]
    return scores


def compare(found, expected, situation):
    """The number of values compared and a line for each that differs."""
    if found.keys() != expected.keys():
        return 0, [f"{situation}: files {found.keys()} != {expected.keys()}"]
    num_compared, differences = 0, []
    for file_id, components in expected.items():
        for name, theirs in NAMES.items():
            if theirs not in components:
                continue
            num_compared += 1
            ours, wanted = found[file_id][name], components[theirs]
            if not abs(ours - wanted) <= TOLERANCE:
                differences.append(f"{situation}, {file_id or 'pooled'}: "
                                   f"{name} {ours!r} != {wanted!r}")
    return num_compared, differences


def compare_round(program, rng, references, situation):
    pairs = {file_id: (turns, disturbed(rng, turns))
             for file_id, turns in references.items()}
    # What disturbs a hypothesis may be in a reference as well.
    pairs.update({f"{file_id}_turned": (hypothesis, reference)
                  for file_id, (reference, hypothesis) in pairs.items()})
    random_uems = {file_id: random_uem(rng, both[0] + both[1])
                   for file_id, both in pairs.items()}
    num_compared, differences = 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for side, index in (("ref", 0), ("hyp", 1)):
            (folder / side).mkdir()
            for file_id, both in pairs.items():
                write_rttm(folder / side / f"{file_id}.rttm", file_id,
                           both[index])
        for collar in (0.0, 0.25):
            for skip_overlap in (False, True):
                for uems in (None, random_uems):
                    options = uems, collar, skip_overlap
                    count, different = compare(
                        run_diarize(program, folder, *options),
                        expected_scores(pairs, *options),
                        f"{situation}, collar {collar}, skip_overlap "
                        f"{skip_overlap}, uem {uems is not None}")
                    num_compared += count
                    differences += different
    return num_compared, differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    num_compared, differences = 0, []
    for round_number in range(arguments.rounds):
        rng = random.Random(round_number)
        references = {**shared_references(), **made_up_references(rng)}
        count, different = compare_round(arguments.program, rng, references,
                                         f"round {round_number}")
        num_compared += count
        differences += different
    for difference in differences[:50]:
        print(difference)
    print(f"{num_compared} values compared, {len(differences)} differ")
    sys.exit(1 if differences or num_compared == 0 else 0)


if __name__ == "__main__":
    main()
