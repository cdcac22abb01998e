"""Runs programs and reads what they took from the operating system."""

import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path


class Took:
    """Wall and CPU seconds, peak memory in MB, and standard output."""

    def __init__(self, wall, cpu, megabytes, output):
        self.wall, self.cpu = wall, cpu
        self.megabytes, self.output = megabytes, output


def run(command):
    """A process from its start to its end; ends this program if it fails."""
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        child = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if child.returncode != 0:
        raise SystemExit(
            f"{command[0]}: exit status {child.returncode}\n{text[-2000:]}"
        )
    cpu = usage.ru_utime + usage.ru_stime
    return Took(wall, cpu, usage.ru_maxrss / 1024, text)


def in_turn(commands, rounds):
    """{name: [Took]} of {name: command}, the rounds A B C, A B C, ...

    So a slow moment of the machine hits all of them.
    """
    results = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            results[name].append(run(command))
    return results


def spread(values):
    """Median, least and most, as they are stored."""
    values = list(values)
    return {
        "median": statistics.median(values),
        "least": min(values),
        "most": max(values),
    }


def stages(table):
    """{stage: total seconds} of the table that --profile writes."""
    rows = re.findall(r"^(\w[\w ]*?) {2,}(\d+) +([\d.]+) ", table, re.MULTILINE)
    return {name: float(total) for name, _, total in rows}


class Program:
    """The program under test, and where it may write."""

    def __init__(self, path, folder):
        self.path, self.folder = Path(path), Path(folder)

    def command(self, recordings, *options, threads=None, out="out"):
        """Diarizes recordings into a folder, silently."""
        words = [self.path, "-q", "-o", self.folder / out, *options]
        if threads is not None:
            words += ["-t", threads]
        return [*words, "--", *recordings]

    def profile(self, recordings, *options, threads=None):
        """(Took, {stage: seconds}) of one run."""
        table = self.folder / "profile.txt"
        took = run(
            self.command(
                recordings, f"--profile={table}", *options, threads=threads
            )
        )
        return took, stages(table.read_text())
