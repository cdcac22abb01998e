"""Measures the program, its parts and its peers; see `run`."""

import argparse
import datetime
import os
import platform
import shutil
from pathlib import Path

import report
import sections
from processes import Program
from recordings import Recordings

WORK = Path(".deps/bench")


def machine():
    """What the figures were measured on, in words."""
    name = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.partition(":")[2].strip()
            break
    cores = len(os.sched_getaffinity(0))
    day = datetime.date.today().isoformat()
    return f"{cores} cores of {name}, {day}; median (least–most)."


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measures speed and memory, and writes Markdown and JSON.",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="under 5 minutes: no peers, no long recordings, one round",
    )
    parser.add_argument(
        "--only", nargs="+", choices=list(sections.ALL), metavar="SECTION",
        help="of: " + ", ".join(sections.ALL),
    )  # fmt: skip
    parser.add_argument(
        "--peers", nargs="*", choices=list(sections.RUNNERS), metavar="NAME",
        help="of: " + ", ".join(sections.RUNNERS) + " (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--long",
        action="store_true",
        help="memory up to 24 hours, linkages up to 128,000 embeddings",
    )
    parser.add_argument("--rounds", type=int, help="default: 3, quick 1")
    return parser.parse_args()


def main():
    args = arguments()
    os.environ.pop("DIARIZE_CONFIG", None)
    shared = Path(os.environ.get("DIARIZE_SHARED", "../shared")).absolute()
    WORK.mkdir(parents=True, exist_ok=True)
    bench = sections.Bench(
        program=Program("build/release/diarize", WORK),
        recordings=Recordings(
            shared, Path(".deps/sample/sample.wav"), WORK
        ),
        shared=shared,
        threads=len(os.sched_getaffinity(0)),
        rounds=args.rounds or (1 if args.quick else 3),
        quick=args.quick,
        long=args.long,
        peers=list(sections.RUNNERS) if args.peers is None else args.peers,
    )
    results = {"machine": machine(), "sections": {}}
    for name in args.only or sections.ALL:
        if args.quick and not args.only and name in sections.SLOW:
            continue
        section = sections.ALL[name](bench)
        if section is None:
            continue
        results["sections"][name] = section
        print(f"\n### {section['title']}\n\n{section['note']}\n")
        print(report.table(section["rows"]), flush=True)
    before = report.save(results, WORK)
    for wav in WORK.glob("speech_*.wav"):
        wav.unlink()
    shutil.rmtree(WORK / "out", ignore_errors=True)
    for line in report.worse(results, before):
        print(f"worse than before: {line}")
    print(f"written: {WORK}/results.json, {WORK}/results.md")


if __name__ == "__main__":
    main()
