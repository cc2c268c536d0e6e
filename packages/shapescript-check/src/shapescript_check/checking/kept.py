"""What is kept about a file from one check to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.bodies.functions import Checked
from shapescript_check.checking.inputs import Inputs
from shapescript_check.checking.instances import Kept as KeptInstances
from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.hints import Hints
from shapescript_check.modules.scope import NO_IMPORTS
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.memo import Memo
from shapescript_syntax.parsing.files import ParsedChunk

if TYPE_CHECKING:
    from shapescript_check.modules.qualified import Qualified
    from shapescript_check.plans.devices.summaries import Summary

Signature = tuple[FnInterface, tuple[Diagnostic, ...]]


class Kept:
    """What is kept about a file between checks: parsed chunks, signatures, bodies, hints and what they read."""

    __slots__ = (
        "bodies",
        "chunks",
        "hints",
        "imports",
        "inputs",
        "instances",
        "qualified",
        "signatures",
        "summaries",
    )

    def __init__(self) -> None:
        self.chunks: dict[str, ParsedChunk] = {}
        self.signatures: Memo[Signature] = Memo()
        self.bodies: Memo[Checked] = Memo()
        self.hints: Memo[Hints] = Memo()
        self.summaries: Memo[Summary] = Memo()
        self.inputs: Inputs | None = None
        self.imports = NO_IMPORTS
        self.instances: KeptInstances = {}
        self.qualified: Qualified = {}
