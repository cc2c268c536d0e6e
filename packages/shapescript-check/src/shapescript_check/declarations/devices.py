"""The `devices` line."""

from __future__ import annotations

from shapescript_check.declarations.reporting import Reporter
from shapescript_syntax import tree

_DEVICES = ("cpu", "mps", "cuda")


def check_devices(item: tree.Devices, report: Reporter) -> None:
    """Reports E1001, E1002 and E1903."""
    name = item.device.text
    numbers = [n.value for n in item.numbers or ()]
    if name not in _DEVICES:
        report(
            "E1001",
            item.device.span,
            f"`{name}` isn't a device",
            help="write devices cpu, devices mps or devices cuda[0]",
        )
    elif len(set(numbers)) != len(numbers):
        report("E1001", item.span, "a device number is given twice")
    elif name == "cuda" and not numbers:
        report("E1001", item.span, "`cuda` needs the numbers of its devices", help="write devices cuda[0]")
    elif name == "mps" and item.numbers is not None:
        report("E1001", item.span, "`mps` is one device and takes no numbers", help="write devices mps")
    elif name == "cpu" and item.numbers is not None and len(numbers) < 2:
        report(
            "E1001",
            item.span,
            "`cpu` takes no numbers, or two and more, which stand for worker processes",
            help="write devices cpu",
        )
    seen: set[str] = set()
    for option in item.options:
        if _check_option(option, report):
            if option.words[0] in seen:
                report(
                    "E1903",
                    option.span,
                    f"`{option.words[0]}` is given twice",
                    help="keep one of the two lines",
                )
            seen.add(option.words[0])


def are_several(item: tree.Devices) -> bool:
    """Whether a line that has no mistake declares more than one device."""
    report = Reporter()
    check_devices(item, report)
    return len(item.numbers or ()) > 1 and not report.diagnostics


def refuse_several(item: tree.Devices, report: Reporter) -> None:
    """Reports E3501 for a line that declares more than one device."""
    message = "programs on several devices aren't supported yet"
    report("E3501", item.span, message, help=f"declare one device: devices {one_device(item)}")


def _check_option(option: tree.DeviceOption, report: Reporter) -> bool:
    words = option.words
    if words == ("shard", "params") or (len(words) == 2 and words[0] == "split" and words[1].isidentifier()):
        return True
    report(
        "E1002",
        option.span,
        f"`{' '.join(words)}` isn't an option of devices",
        help="the options are `shard params` and `split H`, one on each line",
    )
    return False


def devices_text(item: tree.Devices) -> str:
    """The devices as the line says them, `cuda[0]`."""
    if item.numbers is None:
        return item.device.text
    return f"{item.device.text}[{' '.join(str(n.value) for n in item.numbers)}]"


def one_device(item: tree.Devices) -> str:
    """The first of several devices, `cuda[0]`; `cpu` where they are processes."""
    name = item.device.text
    return f"{name}[{item.numbers[0].value}]" if name == "cuda" and item.numbers else name


def split_dim(item: tree.Devices) -> str | None:
    """The name in `split H`."""
    return next((option.words[1] for option in item.options if option.words[0] == "split"), None)
