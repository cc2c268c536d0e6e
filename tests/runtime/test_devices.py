"""Declaring where a program runs. It lasts as long as its process, so some tests start their own."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
import torch

import shapescript_runtime as rt

HAS_MPS = torch.backends.mps.is_available()
COUNT = torch.cuda.device_count() if torch.cuda.is_available() else 0
FORMS = 'the devices are "cpu", "mps" and "cuda[0]", with the number of the GPU in the brackets'

pytestmark = pytest.mark.usefixtures("undeclared")


def program(source: str) -> str:
    """Runs a program in a process of its own, and returns what it printed."""
    run = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    return run.stdout


def test_before_a_declaration_there_is_no_device() -> None:
    with pytest.raises(rt.DeviceError) as raised:
        rt.device()
    assert str(raised.value) == (
        "no devices are declared: write a line such as `devices cpu` at the top of the .ss file, or call "
        'shapescript.devices("cpu") from Python before calling its functions'
    )


def test_a_declaration_holds_for_the_whole_process() -> None:
    printed = program(
        "import shapescript_runtime as rt\n"
        "try: rt.device()\n"
        "except rt.DeviceError: print('none yet')\n"
        "rt.declare('cpu', 'model.ss:1')\n"
        "print(repr(rt.device()))\n"
        "try: rt.devices('mps')\n"
        "except rt.DeviceError as error: print(error)\n"
        "print(repr(rt.device()))\n"
    )
    assert printed.splitlines() == [
        "none yet",
        "device(type='cpu')",
        "Python declares devices mps, but model.ss:1 already declared devices cpu: a program declares "
        "its devices once, so make the two say the same",
        "device(type='cpu')",
    ]


def test_tensors_on_the_device_say_they_are() -> None:
    rt.devices("cpu")
    assert torch.ones(1).device == rt.device()
    assert torch.ones(1, device=rt.device()).device == rt.device()


@pytest.mark.gpu
def test_tensors_on_the_gpu_say_they_are() -> None:
    rt.devices("cuda[0]")
    assert torch.ones(1, device="cuda").device == rt.device()


def test_the_same_declaration_again_does_nothing() -> None:
    rt.declare("cpu", "a.ss:1")
    rt.declare("cpu", "b.ss:1")
    rt.devices(" cpu ")
    assert rt.device() == torch.device("cpu")


def test_different_declarations_are_both_named() -> None:
    rt.devices("cpu")
    with pytest.raises(rt.DeviceError) as raised:
        rt.declare("cuda[1]", "train.ss:2")
    assert str(raised.value) == (
        "train.ss:2 declares devices cuda[1], but Python already declared devices cpu: a program declares "
        "its devices once, so make the two say the same"
    )


def test_a_gpu_that_the_machine_lacks() -> None:
    with pytest.raises(rt.DeviceError) as raised:
        rt.declare(f"cuda[{COUNT}]", "train.ss:1")
    has = {0: "no CUDA device that torch can use", 1: "only cuda[0]"}.get(
        COUNT, f"only cuda[0] to cuda[{COUNT - 1}]"
    )
    assert str(raised.value) == f"train.ss:1 declares devices cuda[{COUNT}], but this machine has {has}"


@pytest.mark.parametrize(("count", "has"), [(1, "only cuda[0]"), (4, "only cuda[0] to cuda[3]")])
def test_a_gpu_beyond_the_last(monkeypatch: pytest.MonkeyPatch, count: int, has: str) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    with pytest.raises(rt.DeviceError) as raised:
        rt.devices("cuda[4]")
    assert str(raised.value) == f"Python declares devices cuda[4], but this machine has {has}"
    rt.devices("cuda[0]")
    assert rt.device() == torch.device("cuda", 0)


@pytest.mark.skipif(HAS_MPS, reason="this machine has an Apple GPU")
def test_an_apple_gpu_that_the_machine_lacks() -> None:
    with pytest.raises(rt.DeviceError) as raised:
        rt.devices("mps")
    assert (
        str(raised.value)
        == "Python declares devices mps, but this machine has no Apple GPU that torch can use"
    )


def test_a_failed_declaration_leaves_none() -> None:
    with pytest.raises(rt.DeviceError):
        rt.devices("cpu[0 1]")
    rt.devices("cpu")
    assert rt.device() == torch.device("cpu")


@pytest.mark.parametrize(
    ("text", "one"), [("cpu[0 1 2]", "cpu"), ("cuda[0 1]", "cuda[0]"), ("cuda[ 3  7 ]", "cuda[0]")]
)
def test_several_devices_are_understood_but_not_supported(text: str, one: str) -> None:
    with pytest.raises(rt.DeviceError) as raised:
        rt.devices(text)
    declared = text.replace("[ ", "[").replace(" ]", "]").replace("  ", " ")
    assert str(raised.value) == (
        f"Python declares devices {declared}, but several devices aren't supported yet: declare one, such as "
        f"devices {one}"
    )


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "gpu",
            "CPU",
            "cuda",
            "cuda:0",
            "cuda[]",
            "cuda[0",
            "cuda0]",
            "cuda[-1]",
            "cuda[0,1]",
            "cuda[0 0]",
        ),
        *("cpu[0]", "cpu[]", "cpu[1 1]", "mps[0]", "cuda[0] x", "cuda[[0]]", "cuda[٣]"),
    ],
)
def test_texts_that_declare_nothing(text: str) -> None:
    with pytest.raises(ValueError, match=r"declares no devices") as raised:
        rt.devices(text)
    assert str(raised.value) == f'"{text}" declares no devices: {FORMS}'


def test_a_torch_device_is_no_text() -> None:
    with pytest.raises(TypeError) as raised:
        rt.devices(torch.device("cpu"))  # type: ignore[arg-type]
    assert str(raised.value) == f"devices are declared with a text, not a device: {FORMS}"


def test_threads_that_disagree_hear_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 16)
    start = threading.Barrier(16)
    errors: list[rt.DeviceError] = []
    seen: list[torch.device] = []

    def declare(number: int) -> None:
        start.wait()
        try:
            rt.declare(f"cuda[{number % 8}]", f"thread {number}")
            seen.append(rt.device())
        except rt.DeviceError as error:
            errors.append(error)

    threads = [threading.Thread(target=declare, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 2
    assert len(errors) == 14
    assert set(seen) == {rt.device()}
    text = f"devices cuda[{rt.device().index}]"
    assert all(text in str(error) for error in errors)
