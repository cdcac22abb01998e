"""Other diarizers on the same files, through the runners beside the data.

They come with environments of their own, which the runners' setup.sh installs
(about 5 GB); DIARIZE_PEERS names a folder where that is done already.
"""

import json
import os
import subprocess
from pathlib import Path

RUNNERS = {
    "pyannote.audio community-1": (
        "pyannote", "run_pyannote.py", "--model", "{home}/models/community1",
    ),
    "sherpa-onnx": (
        "sherpa", "run_sherpa.py", "--model", "{home}/exported/sherpa",
    ),
    "senko": ("senko", "run_senko.py"),
    "speakrs": (
        "speakrs", "run_speakrs.py", "--model", "{home}/exported/speakrs",
    ),
}  # fmt: skip


class Peers:
    def __init__(self, shared):
        self.folder = shared / "peers"
        home = os.environ.get("DIARIZE_PEERS", ".deps/peers")
        self.home = Path(home).absolute()

    def install(self):
        """Whether they can run; says why not."""
        if not (self.folder / "setup.sh").exists():
            print(f"peers: skipped, {self.folder} is absent")
            return False
        if not (self.home / "exported").exists():
            setup = ["sh", self.folder / "setup.sh", self.home]
            subprocess.run([*setup, self.folder.parent], check=True)
        return True

    def command(self, name, recordings, out, threads):
        environment, runner, *options = RUNNERS[name]
        return [
            self.home / f"venv_{environment}" / "bin" / "python",
            self.folder / runner,
            *[word.format(home=self.home) for word in options],
            *["--threads", threads, "--out", out, "--audio", *recordings],
        ]


def seconds_without_loading(output):
    """What a runner says of itself; none for other programs."""
    for line in reversed(output.splitlines()):
        if line.startswith("{"):
            return json.loads(line)["wall_s"]
    return None
