"""Sounds recorded together, apart again: from the bytes of WAV files to those of others."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile

from coset import BadInput
from coset.cocktail import _sounds, demo, separate, si_sdr
from coset.cocktail._wav import read_wav, write_wav

COSET = str(Path(sys.executable).with_name("coset"))
RATE = 8000


@pytest.fixture(scope="module")
def truth():
    """Two sounds of a second."""
    time = np.arange(RATE) / RATE
    clicks = np.random.default_rng(0).normal(size=RATE) * np.exp(-20 * (time % 0.25))
    return np.column_stack([np.sin(2 * np.pi * (200 + 150 * time) * time), clicks])


@pytest.fixture(scope="module")
def folder(truth, tmp_path_factory):
    place = tmp_path_factory.mktemp("wav")
    heard = 0.2 * truth @ np.array([[1.0, 0.4], [0.5, 1.0]])
    for name, column in zip(("left", "right"), heard.T, strict=True):
        wavfile.write(place / f"{name}.wav", RATE, (32767 * column).astype(np.int16))
    wavfile.write(place / "stereo.wav", RATE, heard.astype(np.float32))
    wavfile.write(place / "slow.wav", RATE // 2, heard[:, 0].astype(np.float32))
    wavfile.write(place / "short.wav", RATE, heard[:-1, 0].astype(np.float32))
    wavfile.write(place / "silent.wav", RATE, np.zeros(RATE, np.int16))
    wavfile.write(place / "empty.wav", RATE, np.zeros(0, np.int16))
    wavfile.write(place / "nan.wav", RATE, np.full((RATE, 2), np.nan, np.float32))
    (place / "text.wav").write_text("no sound at all")
    (place / "torn.wav").write_bytes((place / "left.wav").read_bytes()[:30])
    return place


def separated(out):
    """What was written, as columns."""
    names = sorted(out.glob("separated-*.wav"))
    return np.column_stack([wavfile.read(name)[1] for name in names])


@pytest.mark.parametrize(
    ("kind", "resolution"),
    [(np.uint8, 2**-7), (np.int16, 2**-15), (np.int32, 2**-31), (np.float32, 1e-7)],
)
def test_every_format_is_read_to_one_scale(tmp_path, kind, resolution):
    samples = np.linspace(-0.9, 0.9, 100)
    whole = {np.uint8: 128 + 128 * samples, np.int16: 2**15 * samples, np.int32: 2**31 * samples}
    wavfile.write(tmp_path / "x.wav", RATE, np.floor(whole[kind]).astype(kind) if kind in whole
                  else samples.astype(kind))  # fmt: skip
    found = read_wav(tmp_path / "x.wav")
    assert found.rate == RATE
    assert found.samples.shape == (100, 1)
    assert np.abs(found.samples[:, 0] - samples).max() <= resolution


def test_pcm_of_24_bits_is_read(tmp_path):
    samples = np.linspace(-0.9, 0.9, 50)
    whole = np.round(samples * 2**23).astype("<i4")
    with wave.open(str(tmp_path / "x.wav"), "wb") as file:
        file.setparams((1, 3, RATE, 50, "NONE", ""))
        file.writeframes(b"".join(value.tobytes()[:3] for value in whole))
    assert np.abs(read_wav(tmp_path / "x.wav").samples[:, 0] - samples).max() <= 2**-23


def test_what_is_written_is_pcm_at_a_fixed_loudness(tmp_path):
    write_wav(tmp_path / "new" / "x.wav", RATE, np.array([0.0, 50.0, -100.0]))
    rate, found = wavfile.read(tmp_path / "new" / "x.wav")
    assert (rate, found.dtype, found.tolist()) == (RATE, np.int16, [0, 14745, -29490])


@pytest.mark.parametrize("files", [["left.wav", "right.wav"], ["stereo.wav"]])
def test_sounds_come_apart(folder, truth, tmp_path, files):
    lines = list(separate([folder / name for name in files], tmp_path))
    assert [line.partition(":")[0] for line in lines] == [
        str(tmp_path / name) for name in ("separated-1.wav", "separated-2.wav", "unmixing.json")
    ]
    heard = np.column_stack([read_wav(folder / name).samples for name in files])
    assert si_sdr(truth, heard).max() < 15
    assert si_sdr(truth, separated(tmp_path)).max(axis=1).min() > 30
    matrix = json.loads((tmp_path / "unmixing.json").read_text())
    assert matrix["schema"] == 1
    assert matrix["rate"] == RATE
    assert len(matrix["recordings"]) == 2
    again = (heard - matrix["mean"]) @ np.array(matrix["unmixing"]).T
    assert np.diagonal(si_sdr(again, separated(tmp_path))).min() > 60


def test_fewer_voices_than_recordings(folder, truth, tmp_path):
    third = 0.1 * truth @ [0.7, -0.3] + 1e-4 * np.random.default_rng(1).normal(size=RATE)
    wavfile.write(tmp_path / "third.wav", RATE, third)
    files = [folder / "left.wav", folder / "right.wav", tmp_path / "third.wav"]
    list(separate(files, tmp_path / "out", voices=2))
    assert si_sdr(truth, separated(tmp_path / "out")).max(axis=1).min() > 30


@pytest.mark.parametrize(
    ("files", "voices", "says"),
    [
        (["left.wav"], None, "at least 2"),
        (["left.wav", "right.wav"], 3, "give 1 more"),
        (["left.wav", "slow.wav"], None, "4000; convert"),
        (["left.wav", "short.wav"], None, "7999; .* one length"),
        (["left.wav", "silent.wav"], None, "silent.wav is silent"),
        (["left.wav", "left.wav"], None, "1 follow from the others"),
        (["left.wav", "text.wav"], None, "text.wav cannot be read as a WAV file"),
        (["left.wav", "torn.wav"], None, "torn.wav cannot be read as a WAV file"),
        (["empty.wav", "empty.wav"], None, "no samples"),
        (["nan.wav"], None, "nan at row 0"),
    ],
)
def test_refusals(folder, tmp_path, files, voices, says):
    with pytest.raises(BadInput, match=says):
        list(separate([folder / name for name in files], tmp_path / "out", voices=voices))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("spoken", [False, True])
def test_the_demo_needs_nothing_and_speaks_where_it_can(tmp_path, monkeypatch, spoken):
    program = tmp_path / "espeak-ng"
    monkeypatch.setattr(_sounds.shutil, "which", lambda name: str(program) if spoken else None)
    if spoken:
        rows = np.random.default_rng(0).laplace(size=2 * _sounds.RATE)
        write_wav(tmp_path / "voice.wav", _sounds.RATE, rows)
        program.write_text(f'#!/bin/sh\ncp {tmp_path / "voice.wav"} "$4"\n')
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
    *_, voice, string, bell = demo(tmp_path / "out")
    for line, name in ((voice, "voice"), (string, "string"), (bell, "bell")):
        words = line.split()
        assert words[:2] == [f"{name}:", "SI-SDR"]
        assert float(words[2]) < 5
        assert float(words[8]) > 30
    assert len(list((tmp_path / "out").glob("*.wav"))) == 9


def test_a_program_that_does_not_speak_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(_sounds.shutil, "which", lambda name: "/bin/false")
    assert set(_sounds.sounds()) == {"voice", "string", "bell"}


def test_si_sdr_is_the_ratio_of_the_definition(rng):
    truth, found = rng.normal(size=(100, 1)), rng.normal(size=(100, 1))
    truth, found = truth - truth.mean(), found - found.mean()
    scaled = truth * (found.T @ truth) / (truth.T @ truth)
    expected = 10 * np.log10((scaled**2).sum() / ((scaled - found) ** 2).sum())
    assert si_sdr(truth, found)[0, 0] == pytest.approx(expected)


def test_the_command(folder, tmp_path):
    def run(*arguments):
        return subprocess.run(
            [COSET, "cocktail", *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True
        )

    done = run(folder / "left.wav", folder / "right.wav", "--out", "apart")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "apart/separated-1.wav: 1.0 s at 8,000 Hz",
        "apart/separated-2.wav: 1.0 s at 8,000 Hz",
        "apart/unmixing.json: 2 × 2",
    ]
    for arguments in (
        [],
        ["--demo", "x.wav"],
        ["missing.wav", "other.wav"],
        ["x.wav", "--voices", 0],
    ):
        refused = run(*arguments)
        assert refused.returncode == 2
        assert refused.stderr.count("\n") == 1
        assert "Traceback" not in refused.stderr
