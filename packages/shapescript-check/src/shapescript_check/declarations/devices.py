"""The `devices` line."""

from __future__ import annotations

from shapescript_check.declarations.reporting import Reporter
from shapescript_syntax import tree

_DEVICES = ("cpu", "mps", "cuda")


def check_devices(item: tree.Devices, report: Reporter) -> None:
    """Reports E1001 and E1002."""
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
    if len(numbers) > 1 and not report.diagnostics:
        report(
            "E3501", item.span, "programs on several devices aren't supported yet", help="declare one device"
        )


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
