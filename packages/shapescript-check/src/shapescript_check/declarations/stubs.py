"""The prelude's stubs as interfaces, each parsed the first time that a program uses it."""

from __future__ import annotations

from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.declarations.signatures import fn_interface
from shapescript_check.prelude import stub_text
from shapescript_syntax import tree
from shapescript_syntax.parsing.files import parse_chunk
from shapescript_syntax.records import replaced

_known: dict[str, FnInterface | None] = {}


def stub(name: str) -> FnInterface | None:
    """The interface of a stub that every file sees, or None."""
    if name not in _known:
        text = stub_text(name)
        _known[name] = _parsed(text) if text is not None else None
    return _known[name]


def _parsed(text: str) -> FnInterface:
    (item,) = parse_chunk(text).items
    assert isinstance(item, tree.ExternFn)
    report = Reporter()
    interface = fn_interface(item, lambda _: None, report)
    assert not report.diagnostics, (text, report.diagnostics)
    return replaced(interface, prelude=True)
