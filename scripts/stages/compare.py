"""Compares the stages that dump_stages wrote with those of pyannote.audio.

usage: compare.py --model DIR --stages DIR AUDIO...

Prints a table, a row per file, with the largest difference of each stage:
waveform (absolute), log-probabilities (absolute), frames of the activity and
of the speaker count that differ, embeddings of active local speakers (of their
norm), turn boundaries (seconds) and the DER between the two outputs. Exit
status 1 if a file's turns or labels differ by more than a frame.
"""

import argparse
import os
import sys
import warnings
from pathlib import Path

os.environ["PYANNOTE_METRICS_ENABLED"] = "0"
warnings.filterwarnings("ignore")

import numpy as np
import soundfile
import torch
from pyannote.audio import Pipeline
from pyannote.core import Annotation, Segment
from pyannote.metrics.diarization import DiarizationErrorRate

CHUNK, STEP = 160000, 16000
FRAME = 0.017  # s, one frame and the rounding of an RTTM
CLASS_BATCH = 32


def load_pipeline(folder):
    has_plda = (folder / "plda").is_dir()
    return Pipeline.from_pretrained(str(folder if has_plda else folder / "config.yaml"))


def log_probabilities(pipeline, waveform):
    """(num_chunks, 589, 7) of the reference's own network, chunk by chunk."""
    model = pipeline._segmentation.model.eval()
    samples = waveform.shape[1]
    num_chunks = (samples - CHUNK) // STEP + 1 if samples >= CHUNK else 0
    if samples < CHUNK or (samples - CHUNK) % STEP:
        num_chunks += 1
    padded = torch.nn.functional.pad(waveform, (0, max(0, (num_chunks - 1) * STEP + CHUNK - samples)))
    chunks = padded.unfold(1, CHUNK, STEP).transpose(0, 1)
    with torch.inference_mode():
        return np.concatenate([model(part).numpy() for part in chunks.split(CLASS_BATCH)])


def reference_stages(pipeline, path):
    samples, rate = soundfile.read(str(path), dtype="float32", always_2d=True)
    file = {"waveform": torch.from_numpy(samples.T.copy()), "sample_rate": rate, "uri": path.stem}
    seen = {}

    def hook(name, artifact, **_):
        # Copied: the reference caps its count in place later on.
        if artifact is not None:
            seen[name] = np.array(getattr(artifact, "data", artifact))

    output = pipeline(dict(file), hook=hook)
    waveform, _ = pipeline._segmentation.model.audio(dict(file))
    return {
        "waveform": waveform[0].numpy(),
        "log_probabilities": log_probabilities(pipeline, waveform),
        "activity": seen["segmentation"],
        "count": seen["speaker_counting"][:, 0],
        "embeddings": seen.get("embeddings"),
        "turns": output.speaker_diarization,
        "exclusive": output.exclusive_speaker_diarization,
    }


def read_rttm(path):
    annotation = Annotation()
    for number, line in enumerate(path.read_text().splitlines()):
        fields = line.split()
        onset, duration = float(fields[3]), float(fields[4])
        annotation[Segment(onset, onset + duration), number] = fields[7]
    return annotation


def rows(annotation):
    """Turns with times rounded as an RTTM has them."""
    return sorted((round(s.start, 3), round(s.end, 3), label) for s, _, label in annotation.itertracks(yield_label=True))


def rounded(annotation):
    result = Annotation()
    for number, (start, end, label) in enumerate(rows(annotation)):
        result[Segment(start, end), number] = label
    return result


def boundary_difference(ours, reference):
    """Largest difference of a boundary in seconds; infinite if turns or labels differ."""
    ours, reference = rows(ours), rows(reference)
    if len(ours) != len(reference):
        return float("inf")
    worst = 0.0
    for a, b in zip(ours, reference):
        if a[2] != b[2]:
            return float("inf")
        worst = max(worst, abs(a[0] - b[0]), abs(a[1] - b[1]))
    return worst


def worst(ours, reference):
    if ours.shape != reference.shape:
        return float("inf")
    return float(np.abs(ours.astype(np.float64) - reference).max(initial=0.0))


def compare(ours, reference):
    embeddings = ours["embeddings"]
    active = ~np.isnan(embeddings[..., 0])
    relative = 0.0
    if reference["embeddings"] is not None and active.any():
        theirs = reference["embeddings"][active]
        relative = float((np.linalg.norm(embeddings[active] - theirs, axis=1) / np.linalg.norm(theirs, axis=1)).max())
    return {
        "waveform": worst(ours["waveform"], reference["waveform"]),
        "log_prob": worst(ours["log_probabilities"], reference["log_probabilities"]),
        "activity": int((ours["activity"] != reference["activity"]).any(axis=2).sum()),
        "count": int((ours["count"] != reference["count"]).sum()),
        "embedding": relative,
        "turns": boundary_difference(ours["turns"], reference["turns"]),
        "exclusive": boundary_difference(ours["exclusive"], reference["exclusive"]),
        "DER %": 100 * DiarizationErrorRate()(rounded(reference["turns"]), rounded(ours["turns"])),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--stages", type=Path, required=True)
    parser.add_argument("audio", type=Path, nargs="+")
    args = parser.parse_args()
    torch.set_num_threads(os.cpu_count())
    pipeline = load_pipeline(args.model)
    failed, header = False, None
    for path in args.audio:
        folder = args.stages / path.stem
        arrays = ("waveform", "log_probabilities", "activity", "count", "embeddings")
        ours = {name: np.load(folder / f"{name}.npy") for name in arrays}
        ours |= {name: read_rttm(folder / f"{name}.rttm") for name in ("turns", "exclusive")}
        found = compare(ours, reference_stages(pipeline, path))
        if header is None:
            header = f"{'file':28}" + "".join(f"{name:>11}" for name in found)
            print(header)
        print(f"{path.stem:28}" + "".join(f"{value:11.3g}" for value in found.values()), flush=True)
        failed |= max(found["turns"], found["exclusive"]) > FRAME
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
