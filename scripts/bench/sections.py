"""What is measured: a function a section, each a table.

A section is a dict: title, note, rows {name: {column: value}}, and `compare`,
the columns that tell whether something got worse, with whether lower is
better.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from peers import RUNNERS, Peers, seconds_without_loading
from processes import Program, in_turn, run, spread
from recordings import Recordings, conversations

NETWORKS = ("segmentation", "embedding")
WAITING = ("wait for work", "wait for engine")


@dataclass
class Bench:
    program: Program
    recordings: Recordings
    shared: Path
    threads: int
    rounds: int
    quick: bool
    long: bool
    peers: list


def section(title, note, rows, **compare):
    return {"title": title, "note": note, "rows": rows, "compare": compare}


def share_of_networks(stages, took, threads):
    """Of the time of all threads, what the networks themselves ran for."""
    seconds = sum(stages.get(stage, 0.0) for stage in NETWORKS)
    return 100 * seconds / (took.wall * threads)


def networks(bench):
    """Each network alone, on one core."""
    program = "build/release/scripts/bench/bench_networks"
    rows = {}
    for _ in range(bench.rounds):
        pattern = r"^(.+?) +([\d.]+) ms each +([\d.]+) GFLOP/s +([\d.]+) % of (\d+)"
        for name, *figures in re.findall(
            pattern, run([program]).output, re.MULTILINE
        ):
            rows.setdefault(name, []).append([float(f) for f in figures])
    columns = ("ms each", "GFLOP/s", "% of the peak", "peak")
    return section(
        "Networks",
        "One core; the peak is the rate of float32 multiply-adds measured "
        "around each.",
        {
            name: dict(zip(columns, map(spread, zip(*runs))))
            for name, runs in rows.items()
        },
        **{"% of the peak": False},
    )


def presets(bench):
    """The whole program, by preset and by pipeline."""
    files = bench.recordings.many(2 if bench.quick else 10, 300)
    hours = {name: 300 * len(files) for name in ("balanced", "fast")}
    options = {"balanced": [], "fast": ["--preset", "fast"]}
    if Path(".deps/synthetic/community1").exists():
        options["community-1"] = ["--model", ".deps/synthetic/community1"]
    rows = {}
    for name, words in options.items():
        chosen = files if name in hours else files[:1]
        runs = []
        for _ in range(bench.rounds):
            took, stages = bench.program.profile(
                chosen, *words, threads=bench.threads
            )
            runs.append((
                300 * len(chosen) / took.wall,
                share_of_networks(stages, took, bench.threads),
                took.megabytes,
            ))
        columns = ("x real time", "% in the networks", "peak MB")
        rows[name] = dict(zip(columns, map(spread, zip(*runs))))
        rows[name] = {"files": len(chosen), **rows[name]}
    return section(
        "Whole program",
        "Files of 5 minutes of dense conversation, from the start of the "
        "process to its end; what is not in the networks is starting, "
        "loading, decoding, clustering, writing and waiting.",
        rows,
        **{"% in the networks": False, "peak MB": True},
    )


def profile(bench):
    """Where the time goes for an hour."""
    seconds = 600 if bench.quick else 3600
    took, stages = bench.program.profile(
        [bench.recordings.of(seconds)], threads=bench.threads
    )
    busy = {n: s for n, s in stages.items() if n not in WAITING}
    total = sum(busy.values())
    return section(
        "Profile",
        f"One recording of {seconds // 60} minutes in {took.wall:.1f} s; "
        "seconds of all threads together, decoder processes included.",
        {
            name: {"seconds": value, "%": 100 * value / total}
            for name, value in busy.items()
        },
    )


def threads(bench):
    """One thread against all of them."""
    files = bench.recordings.many(4 if bench.quick else 10, 60)
    long = [bench.recordings.of(300 if bench.quick else 900)]
    rows = {}
    for name, chosen in (("a batch of files", files), ("one file", long)):
        counts = {str(n): n for n in (1, bench.threads)}
        runs = in_turn(
            {
                n: bench.program.command(chosen, threads=count)
                for n, count in counts.items()
            },
            max(bench.rounds, 1 if bench.quick else 5),
        )
        one, all_ = (
            spread(took.wall for took in runs[n])["median"] for n in counts
        )
        rows[name] = {"1 thread, s": one, f"{bench.threads}, s": all_,
                      "times faster": one / all_}  # fmt: skip
    return section(
        "Cores",
        "Whole process; medians.",
        rows,
        **{"times faster": False},
    )


def start(bench):
    """A recording of ten seconds."""
    command = bench.program.command([bench.recordings.of(10)])
    runs = [run(command) for _ in range(max(bench.rounds, 3))]
    return section(
        "Start",
        "From the start of the process to the turns of 10 s of audio.",
        {"10 s": {"seconds": spread(took.wall for took in runs)}},
    )


def memory(bench):
    """Peak memory by length, and by kind of batch."""
    minutes = [1, 10] if bench.quick else [1, 10, 60, 600]
    minutes += [1440] if bench.long else []
    rows = {}
    for length in minutes:
        took = run(bench.program.command([bench.recordings.of(60 * length)]))
        rows[f"{length} min"] = {
            "peak MB": took.megabytes,
            "x real time": 60 * length / took.wall,
        }
        if length > 60:
            bench.recordings.of(60 * length).unlink()
    for count in (60,) if bench.quick else (60, 600):
        took = run(bench.program.command(bench.recordings.many(count, 3)))
        rows[f"{count} files of 3 s"] = {
            "peak MB": took.megabytes,
            "x real time": 3 * count / took.wall,
        }
    return section(
        "Memory",
        "Peak resident memory of the main process.",
        rows,
        **{"peak MB": True},
    )


def clustering(bench):
    """What follows the networks, by length."""
    program = "build/release/scripts/bench/bench_clustering"
    lengths = [10, 60] if bench.quick else [10, 30, 60, 120, 300, 600, 1440]
    lines = run([program, *lengths]).output.splitlines()
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines]
    columns = cells[0][1:]
    return section(
        "Clustering and reconstruction",
        "Synthetic recordings, default recipe, one thread.",
        {
            f"{row[0]} min": dict(zip(columns, map(json.loads, row[1:])))
            for row in cells[2:]
        },
    )


def pooled_error_rate(bench, references, hypotheses, *options):
    """DER in percent of RTTM files."""
    report = run(
        [bench.program.path, "score", "--json", *options,
         "--ref", *references, "--hyp", *hypotheses]
    ).output  # fmt: skip
    return 100 * json.loads(report)["pooled"]["der"]


def error_rate(bench, hypotheses):
    """DER on the conversations; none where the references are absent."""
    folder = bench.shared / "data" / "conversations"
    references = [
        path
        for path in sorted(folder.glob("*.rttm"))
        if not path.name.endswith(".segments.rttm")
    ]
    if not references or not conversations(bench.shared):
        return None
    found = [hypotheses / path.name for path in references]
    return pooled_error_rate(
        bench, references, found, "--uem", folder / "all.uem"
    )


def accuracy(bench):
    """DER of our own presets on the conversations with references."""
    files = conversations(bench.shared)
    if not files:
        print("accuracy: skipped, the conversations are absent")
        return None
    rows = {}
    for preset in ("balanced", "fast"):
        out = f"der_{preset}"
        run(bench.program.command(files, "--preset", preset, out=out))
        rows[preset] = {"DER, %": error_rate(bench, bench.program.folder / out)}
    return section(
        "Accuracy",
        f"{len(files)} real conversations, overlap scored, no collar, pooled.",
        rows,
        **{"DER, %": True},
    )


REFERENCE = "pyannote.audio community-1"
OURS = "diarize"
OURS_OF_PYANNOTE = "diarize, community-1"


def our_rival(name):
    """Which of our pipelines has the networks of a peer."""
    return OURS_OF_PYANNOTE if name in (REFERENCE, "speakrs") else OURS


def against_peers(bench):
    """Other programs on the same files, in turn."""
    peers = Peers(bench.shared)
    if not bench.peers or not peers.install():
        return None
    speech = [bench.recordings.of(300)]
    folder = bench.program.folder
    options = {OURS: []}
    if any(our_rival(name) == OURS_OF_PYANNOTE for name in bench.peers):
        model = peers.home / "models" / "community1"
        options[OURS_OF_PYANNOTE] = ["--model", model]

    def command(name, recordings, out):
        if name in options:
            return bench.program.command(
                recordings, *options[name], threads=bench.threads, out=out
            )
        return peers.command(name, recordings, folder / out, bench.threads)

    names = [*options, *bench.peers]
    runs = in_turn(
        {name: command(name, speech, f"out_{name}") for name in names},
        bench.rounds,
    )
    rows = {}
    for name, results in runs.items():
        inner = [seconds_without_loading(took.output) for took in results]
        rows[name] = {
            "x real time": spread(300 / took.wall for took in results),
            "without loading": spread(300 / s for s in inner)
            if None not in inner
            else None,
            "CPU s": spread(took.cpu for took in results),
            "peak MB": spread(took.megabytes for took in results),
        }
    turns = f"{speech[0].stem}.rttm"
    for name, row in rows.items():
        if our_rival(name) == OURS and name != OURS_OF_PYANNOTE:
            run(command(name, conversations(bench.shared), f"der_{name}"))
            row["DER, %"] = error_rate(bench, folder / f"der_{name}")
        elif REFERENCE in rows:
            row["DER to pyannote.audio, %"] = pooled_error_rate(
                bench,
                [folder / f"out_{REFERENCE}" / turns],
                [folder / f"out_{name}" / turns],
            )
        if name not in options:
            ours = rows[our_rival(name)]["x real time"]["median"]
            row["we are faster by"] = ours / row["x real time"]["median"]
    return section(
        "Peers",
        "Five minutes of dense conversation, the whole process from its "
        "start; DER on the conversations with references. The embedding of "
        "community-1 has synthetic weights, so the pipelines that use it are "
        "compared with pyannote.audio's turns instead.",
        rows,
        **{"we are faster by": False},
    )


ALL = {
    "networks": networks,
    "presets": presets,
    "profile": profile,
    "threads": threads,
    "start": start,
    "memory": memory,
    "clustering": clustering,
    "accuracy": accuracy,
    "peers": against_peers,
}
SLOW = {"peers"}
