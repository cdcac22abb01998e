#!/usr/bin/env python3
"""Writes small inputs of every kind that a fuzzing program begins with.

    make_seeds.py FOLDER      makes FOLDER/READER/NAME
"""

import io
import pathlib
import pickle
import struct
import sys
import zipfile


def chunk(name, payload, size=None, order="<"):
    size = len(payload) if size is None else size
    return name + struct.pack(order + "I", size) + payload + b"\0" * (len(payload) % 2)


def wav(samples, tag=1, channels=1, bits=16, data_size=None, before=b"", after=b""):
    frame = channels * bits // 8
    form = struct.pack("<HHIIHH", tag, channels, 16000, 16000 * frame, frame, bits)
    body = chunk(b"fmt ", form) + before + chunk(b"data", samples, data_size) + after
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE" + body


def rf64(samples):
    ds64 = struct.pack("<QQQI", 72 + len(samples), len(samples), len(samples) // 2, 0)
    body = chunk(b"ds64", ds64) + wav(samples, data_size=0xFFFFFFFF)[12:]
    return b"RF64\xff\xff\xff\xffWAVE" + body


def wavs():
    samples = struct.pack("<64h", *range(-32, 32))
    coded = struct.pack("<HHIIHHHH", 17, 1, 8000, 4055, 256, 4, 2, 505)
    adpcm = chunk(b"fmt ", coded) + chunk(b"data", bytes(range(256)))
    yield "plain", wav(samples)
    yield "cut", wav(samples, data_size=1 << 20)
    yield "pipe", wav(samples, data_size=0xFFFFFFFF)
    yield "empty", wav(b"", data_size=0, after=chunk(b"LIST", b"INFOISFT"))
    yield "list", wav(samples, before=chunk(b"LIST", b"INFO" + chunk(b"INAM", b"name")))
    yield "float", wav(struct.pack("<16f", *[0.1] * 16), tag=3, channels=2, bits=32)
    yield "alaw", wav(bytes(range(64)), tag=6, bits=8)
    yield "adpcm", b"RIFF" + struct.pack("<I", 4 + len(adpcm)) + b"WAVE" + adpcm
    yield "rf64", rf64(samples)


def headers():
    yield from wavs()
    samples = bytes(range(64))
    comm = struct.pack(">hIh", 1, 32, 16) + bytes.fromhex("400cfa00000000000000")
    ssnd = struct.pack(">II", 0, 0) + samples
    aiff = chunk(b"COMM", comm, order=">") + chunk(b"SSND", ssnd, order=">")
    yield "aiff", b"FORM" + struct.pack(">I", 4 + len(aiff)) + b"AIFF" + aiff
    yield "au", b".snd" + struct.pack(">5I", 24, 0, 3, 16000, 1) + samples
    desc = struct.pack(">d4sIIIII", 16000.0, b"lpcm", 0, 2, 1, 1, 16)
    caf = b"caff\0\1\0\0" + b"desc" + struct.pack(">q", len(desc)) + desc
    yield "caf", caf + b"data" + struct.pack(">qI", -1, 0) + samples
    page = struct.pack("<4sBBqIIIB", b"OggS", 0, 2, 0, 1, 0, 0, 1) + b"\x08" + b"\1vorbis1"
    last = struct.pack("<4sBBqIIIB", b"OggS", 0, 4, 9, 1, 1, 0, 1) + b"\x04abcd"
    yield "ogg", page + last
    frame = b"\xff\xfb\x90\x00" + b"\0" * 32 + b"Info" + struct.pack(">III", 3, 2, 900)
    yield "mp3", b"ID3\4\0\0\0\0\0\4tags" + frame + b"\0" * 64
    yield "mp4", b"\0\0\0\x18ftypM4A \0\0\0\0"


# What torch.save hands to pickle, made of classes of those names.
class Global:
    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self):  # pickle wants something that can be called
        raise NotImplementedError


class Storage:
    def __init__(self, kind, count):
        self.kind, self.count = kind, count


class Tensor:
    def __init__(self, shape, strides, kind="FloatStorage"):
        self.shape, self.strides, self.kind = shape, strides, kind

    def __reduce__(self):
        rebuild = Global("torch._utils", "_rebuild_tensor_v2")
        storage = Storage(Global("torch", self.kind), 16)
        return rebuild, (storage, 0, self.shape, self.strides, False, None)


class TorchPickler(pickle._Pickler):  # the one in Python can be changed
    def save(self, value, save_persistent_id=True):
        if isinstance(value, Global):
            name = f"c{value.module}\n{value.name}\n"
            self.write(name.encode())
        else:
            super().save(value, save_persistent_id)

    def persistent_id(self, value):
        if isinstance(value, Storage):
            return ("storage", value.kind, "0", "cpu", value.count)
        return None


def torch_pickle(value, protocol=2):
    data = io.BytesIO()
    TorchPickler(data, protocol).dump(value)
    return data.getvalue()


def pickles():
    weights = {"a.weight": Tensor((4, 4), (4, 1)), "a.bias": Tensor((2,), (1,))}
    yield "plain", torch_pickle(weights)
    yield "protocol4", torch_pickle(weights, 4)
    yield "other", torch_pickle({"n": Tensor((), (), "LongStorage"), **weights})
    yield "lightning", torch_pickle({
        "state_dict": weights,
        "hyper_parameters": {"num": 3, "lstm": {"bidirectional": True, "dropout": 0.5}},
        "pyannote.audio": {"architecture": {"module": "models", "class": "PyanNet"}},
    })


def archive(files, method=zipfile.ZIP_STORED):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as target:
        for name, content in files.items():
            target.writestr(zipfile.ZipInfo(name), content, method)
    return data.getvalue()


def zips():
    for name, content in pickles():
        files = {"a/data.pkl": content, "a/byteorder": "little", "a/data/0": bytes(64)}
        yield name, archive(files)


def npy(dtype, shape, data, order=False, version=1):
    text = f"{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def arrays():
    doubles = struct.pack("<6d", *range(6))
    plain = npy("<f8", (2, 3), doubles)
    turned = npy("<f8", (2, 3), doubles, order=True)
    yield "plain", plain
    yield "turned", turned
    yield "version2", npy("<i4", (2,), struct.pack("<2i", 1, -1), version=2)
    yield "text", npy("<U2", (1,), "ab".encode("utf-32-le"))
    yield "bool", npy("|b1", (), b"\1")
    yield "stored", archive({"a.npy": plain, "b.npy": turned})
    yield "deflated", archive({"a.npy": plain}, zipfile.ZIP_DEFLATED)


def rttms():
    line = b"SPEAKER talk 1 0.031 2.514 <NA> <NA> SPEAKER_00 <NA> <NA>\n"
    yield "plain", line + b"SPEAKER talk 1 3 1e-3 <NA> <NA> b <NA> <NA>\r\n"
    yield "comment", b";; of NIST\n\nSPKR-INFO talk 1 <NA> <NA> <NA> unknown a <NA>\n" + line


def uems():
    yield "plain", b"talk 1 0.000 30.5\n;; of NIST\ntalk NA 40 41\nother 1 0 1\n"


def model_configs():
    yield "default", b"""pipeline:
  name: diarize.Default
  params: {}
segmentation:
  file: segmentation/pytorch_model.bin
  sha256: da85c29829d4002daedd676e012936488234d9255e65e86dfab9bec6b1729298
embedding:
  file: embedding/pytorch_model.bin
"""
    yield "community", b"""dependencies:
  pyannote.audio: 4.0.0
pipeline:
  name: pyannote.audio.pipelines.SpeakerDiarization
  params:
    clustering: VBxClustering
    segmentation: $model/segmentation
    segmentation_batch_size: 32
    embedding: $model/embedding
    embedding_batch_size: 32
    embedding_exclude_overlap: true
    plda: $model/plda
params:
  clustering:
    threshold: 0.6
    Fa: 0.07
    Fb: 0.8
  segmentation:
    min_duration_off: 0.0
"""
    yield "three", b"""version: 3.1.0
pipeline:
  name: pyannote.audio.pipelines.SpeakerDiarization
  params:
    clustering: AgglomerativeClustering
    embedding: pyannote/wespeaker-voxceleb-resnet34-LM@main
    segmentation: /no/such/folder/segmentation
params:
  clustering: {method: centroid, min_cluster_size: 12, threshold: 0.7045654963945799}
  segmentation: {min_duration_off: 0.0}
"""


def option_files():
    yield "plain", b"num_speakers=2\nthreshold = 0.5\nexclusive=true\nformat=[rttm,json]\n"
    yield "quoted", b"# options\nAUDIO=[\"a b.wav\", 'c.wav']\n[score]\ncollar=0.25\n"


def messages():
    def number(value):
        return struct.pack("<q", value)

    def real(value):
        return struct.pack("<d", value)

    def text(value):
        return number(len(value)) + value

    options = number(0) * 3 + real(0.5) + number(1) + real(2.0)
    report = number(16000) + number(2) + text(b"WAV") + number(32000) + real(2.0)
    report += number(1) + real(3.0) + real(-20.0) + real(-3.0) + real(0.1)
    report += number(0) * 3 + real(0.1) * 3 + number(1) + text(b"ends at 2.00 s")
    yield "options", options
    yield "report", report
    for name, kind, payload in (("request", 1, options), ("samples", 2, bytes(64)),
                                ("answer", 3, report), ("refusal", 4, b"is text")):
        yield name, struct.pack("<II", kind, len(payload)) + payload


SEEDS = {
    "checkpoint": pickles,
    "decode_protocol": messages,
    "header": headers,
    "model_config": model_configs,
    "npz": arrays,
    "options_file": option_files,
    "rttm": rttms,
    "uem": uems,
    "wav": wavs,
    "zip": zips,
}


def main():
    for reader, seeds in SEEDS.items():
        folder = pathlib.Path(sys.argv[1]) / reader
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds():
            (folder / name).write_bytes(content)


main()
