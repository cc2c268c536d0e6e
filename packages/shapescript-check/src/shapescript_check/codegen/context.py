"""What the code generator knows while it writes a module, and while it writes one of its functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from shapescript_check.bodies.members import batched
from shapescript_check.codegen.modes import ModePaths
from shapescript_check.codegen.options import Options
from shapescript_check.codegen.positions import Place, Positions, put
from shapescript_check.declarations.devices import devices_text
from shapescript_check.declarations.interfaces import DataInterface, FnInterface, ParameterType
from shapescript_check.operations.lowering import python
from shapescript_check.program import Program
from shapescript_check.sizes import Symbol
from shapescript_check.types.entities import RecordType
from shapescript_check.types.values import TensorType, ValueType


@dataclass(slots=True)
class ModuleContext:
    """The module being written."""

    program: Program
    options: Options
    imports: dict[str, str] = field(default_factory=dict)
    """Python modules that extern functions are in, and the names they are imported under."""
    dims_named: bool = False
    """Whether anything refers to `_ss_dims`."""

    @property
    def declares_devices(self) -> bool:
        """Whether the module itself says where it runs, so that `_ss_device` is a global of it."""
        return self.devices is not None

    @property
    def devices(self) -> str | None:
        """What the module itself says of where it runs, as a `devices` line does."""
        declared = self.program.scope.devices
        return devices_text(declared) if declared is not None else self.options.devices

    def parameters_of(self, name: str) -> dict[str, ParameterType]:
        """The types of a function's parameters, by name."""
        return {p.name: p.type for p in self.interface_of(name).parameters}

    def interface_of(self, name: str) -> FnInterface:
        """A function's interface, by its key."""
        interface = self.program.lookup(name)
        assert isinstance(interface, FnInterface), name
        return interface

    def fields_of(self, record: RecordType) -> list[tuple[str, TensorType]]:
        """The fields of a record's batch, each with its type there."""
        interface = self.program.lookup(record.name)
        assert isinstance(interface, DataInterface)
        return [(n, batched(t, record)) for n, t in interface.fields]

    def python_function(self, path: str) -> ast.expr:
        """An extern function's Python function, with the import that it needs."""
        module, _, function = path.rpartition(".")
        if module == "math" or module == "torch" or module.startswith("torch."):
            return python(path)
        if module.split(".")[0] == "shapescript_runtime":
            return python("_ss_rt" + path.removeprefix("shapescript_runtime"))
        return python(f"{self._alias(module)}.{function}")

    def _alias(self, module: str) -> str:
        """The name that a Python module is imported under, which no other module and nothing of ours has."""
        if module not in self.imports:
            alias = "_ss_python_" + module.replace(".", "_")
            while alias in self.imports.values():
                alias += "_"
            self.imports[module] = alias
        return self.imports[module]


class FunctionContext:
    """The function being written: where statements go, its temporaries, and the types of its values."""

    __slots__ = (
        "_count",
        "_lists",
        "differentiated",
        "modes",
        "module",
        "positions",
        "shared",
        "types",
        "untold",
        "used",
    )

    def __init__(self, module: ModuleContext, positions: Positions) -> None:
        self.module = module
        self.positions = positions
        self.types: dict[str, ValueType] = {}
        self.used: set[Symbol] = set()
        """Size symbols whose value the body reads, which the function has to bind when it starts."""
        self.untold: tuple[Symbol, ...] = ()
        """Those that it is given, as its arguments' shapes don't tell them, if they are given at all."""
        self.modes = ModePaths()
        self.differentiated: frozenset[str] | None = None
        """The values that the function takes gradients by; None where it takes none."""
        self.shared: dict[int, str] = {}
        """Names of values that several places use, by the identity of their nodes."""
        self._count = 0
        self._lists: list[list[ast.stmt]] = []

    def temporary(self) -> str:
        """A new name of the compiler's own."""
        self._count += 1
        return f"_ss_{self._count}"

    def add(self, statement: ast.stmt, place: Place | None) -> None:
        """Appends a statement to the block being written."""
        if place is not None:
            put(statement, place)
        self._lists[-1].append(statement)

    @contextmanager
    def block(self) -> Iterator[list[ast.stmt]]:
        """Collects the statements that are added inside."""
        statements: list[ast.stmt] = []
        self._lists.append(statements)
        try:
            yield statements
        finally:
            self._lists.pop()
