"""Compares bench_centroid_linkage with scipy's linkage; see `clustering`.

Each runs in a process of its own, one after the other, on the same points and
the same cores. Seconds are those of the linkage alone; memory is the peak of
the whole process, which holds the points too.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

DIMENSION = 256
MOST_TIME = 1.5  # of scipy's
MOST_MEGABYTES = 200.0  # for 30 000 points
MOST_DIFFERENCE = 1e-9  # of heights

SCIPY = """
import sys, time
import numpy as np
from scipy.cluster.hierarchy import linkage
points = np.fromfile(sys.argv[1], np.float32).reshape(-1, int(sys.argv[2]))
start = time.perf_counter()
tree = linkage(points, method="centroid", metric="euclidean")
seconds = time.perf_counter() - start
status = open("/proc/self/status").read().split()
print(seconds, int(status[status.index("VmHWM:") + 1]) / 1024)
tree.tofile(sys.argv[3])
"""


def unit(points):
    points = points.astype(np.float32)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def voices(num_points, rng):
    """Embeddings of 36 speakers, more or less noisy, as they lie in a file."""
    centres = unit(rng.standard_normal((36, DIMENSION)))
    noise = rng.standard_normal((num_points, DIMENSION)) * 0.045
    noise *= rng.uniform(0.5, 1.5, (num_points, 1))
    return unit(centres[rng.integers(0, 36, num_points)] + noise)


def uniform(num_points, rng):
    """No structure at all: the worst case, every point far from all others."""
    return unit(rng.uniform(-1, 1, (num_points, DIMENSION)))


def repeated(num_points, rng):
    """Every point about four times: ties."""
    points = voices(num_points // 4, rng)
    return points[rng.integers(0, len(points), num_points)]


def run(command):
    """Seconds it prints, its CPU seconds, and the peak memory it prints, MB.

    The peak that wait4 knows would include this process, which it came from.
    """
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    printed = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} failed with {child.returncode}")
    seconds, megabytes = map(float, printed.split())
    return seconds, usage.ru_utime + usage.ru_stime, megabytes


def compare(name, points, program, rounds, folder):
    """Prints a line of the table; returns what is wrong."""
    points_path = folder / "points.f32"
    points.tofile(points_path)
    ours_path, scipy_path = folder / "ours.f64", folder / "scipy.f64"
    arguments = [str(points_path), str(DIMENSION)]
    ours, scipy = [], []
    for _ in range(rounds):
        ours.append(run([program, *arguments, str(ours_path)]))
        scipy.append(
            run([sys.executable, "-c", SCIPY, *arguments, str(scipy_path)])
        )
    our_tree = np.fromfile(ours_path).reshape(-1, 4)
    scipy_tree = np.fromfile(scipy_path).reshape(-1, 4)
    difference = np.abs(our_tree[:, 2] - scipy_tree[:, 2]).max()
    same = np.array_equal(our_tree[:, [0, 1, 3]], scipy_tree[:, [0, 1, 3]])
    ratio = statistics.median(a[0] / b[0] for a, b in zip(ours, scipy))
    megabytes = max(result[2] for result in ours)
    seconds = [statistics.median(r[0] for r in results)
               for results in (ours, scipy)]
    cpu = [statistics.median(r[1] for r in results)
           for results in (ours, scipy)]
    print(
        f"| {name} | {seconds[0]:.1f} | {seconds[1]:.1f} | {ratio:.2f} "
        f"| {cpu[0]:.1f} | {cpu[1]:.1f} | {megabytes:.0f} "
        f"| {max(r[2] for r in scipy):.0f} | {'yes' if same else 'NO'} "
        f"| {difference:.1e} |",
        flush=True,
    )
    faults = []
    if ratio > MOST_TIME:
        faults.append(f"{name}: {ratio:.2f} times scipy's time")
    if len(points) <= 30000 and megabytes > MOST_MEGABYTES:
        faults.append(f"{name}: {megabytes:.0f} MB")
    if not difference <= MOST_DIFFERENCE:
        faults.append(f"{name}: heights differ by {difference}")
    if not same:
        faults.append(f"{name}: another tree")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--points", type=int, default=30000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(
        f"{options.points} points of {DIMENSION}, median of "
        f"{options.rounds} rounds, {len(os.sched_getaffinity(0))} cores\n\n"
        "| points | ours, s | scipy, s | ratio | ours, CPU s | scipy, CPU s "
        "| ours, MB | scipy, MB | same tree | heights differ by |\n"
        "|---|---|---|---|---|---|---|---|---|---|"
    )
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for make in (voices, uniform, repeated):
            points = make(options.points, np.random.default_rng(7))
            faults += compare(
                make.__name__, points, options.program, options.rounds,
                Path(folder),
            )
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
