"""The recordings that the measurements run on, 16 kHz mono WAV."""

import subprocess
import wave
from pathlib import Path

RATE = 16000
CONVERSATIONS = (
    "aws_call40_stereo_8k.flac",
    "ami_EN2002a.wav",
    "ami_EN2006b.wav",
)


def conversations(shared):
    """All recordings with references below the shared data; maybe none."""
    folder = shared / "data" / "conversations"
    return sorted([*folder.glob("*.wav"), *folder.glob("*.flac")])


def speech(shared, sample, folder):
    """Samples of five minutes, or, without shared data, of one recording.

    Five minutes of dense conversation: a call, then two meetings.
    """
    sources = [shared / "data" / "conversations" / n for n in CONVERSATIONS]
    if not all(source.exists() for source in sources):
        sources = [sample]
    samples = b""
    for number, source in enumerate(sources):
        converted = folder / f"source{number}.wav"
        subprocess.run(
            ["sox", "-D", source, "-b", "16", "-r", str(RATE), "-c", "1",
             converted],
            check=True,
        )  # fmt: skip
        with wave.open(str(converted)) as audio:
            samples += audio.readframes(audio.getnframes())
        converted.unlink()
    return samples[: 300 * RATE * 2]


def write(path, samples, seconds, shift=0):
    """`seconds` of the samples over and over, from second `shift` on."""
    path = Path(path)
    if not path.exists():
        rest = int(seconds * RATE) * 2
        turned = samples[shift * RATE * 2 :] + samples[: shift * RATE * 2]
        with wave.open(str(path), "wb") as audio:
            audio.setnchannels(1)
            audio.setsampwidth(2)
            audio.setframerate(RATE)
            while rest > 0:
                audio.writeframesraw(turned[:rest])
                rest -= len(turned[:rest])
    return path


class Recordings:
    """Made when they are first asked for."""

    def __init__(self, shared, sample, folder):
        self.shared, self.folder = shared, folder
        self.samples = speech(shared, sample, folder)

    def of(self, seconds, number=0):
        """A recording of a length; others of it begin elsewhere."""
        name = f"speech_{seconds:g}s_{number}.wav"
        shift = 30 * number % (len(self.samples) // (2 * RATE))
        return write(self.folder / name, self.samples, seconds, shift)

    def many(self, count, seconds):
        return [self.of(seconds, number) for number in range(count)]
