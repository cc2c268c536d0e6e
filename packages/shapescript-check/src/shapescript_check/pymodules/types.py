"""The Python types of ShapeScript types, as a generated module writes them."""

from __future__ import annotations

from collections.abc import Iterable

from shapescript_check.codegen.names import python_name
from shapescript_check.declarations.interfaces import AnyNumber, ParameterInterface, ParameterType
from shapescript_check.types.entities import (
    DatasetType,
    GradType,
    LogsType,
    ModelType,
    ModeType,
    OptimizerType,
    RecordType,
    ScheduleType,
)
from shapescript_check.types.values import HostType, NoResult, ResultsType, StringType, TensorType

PythonType = tuple[str, ...]
"""A type's alternatives, as in ("int", "None")."""

MODULES = {
    "torch": "_ss_torch",
    "typing": "_ss_typing",
    "shapescript_runtime": "_ss_rt",
    "builtins": "_ss_builtins",
}
"""The names under which a generated module imports others. A `.ss` file has no name that starts so."""

_SUPERTYPES = {"bool": "int", "int": "float"}


class Vocabulary:
    """How one generated module writes types.

    Attributes:
        classes: the file's own models, data and logs records, each with the class it derives from. A model or record of
            any other name is another file's, or a type variable's: no module of another file is imported, since it
            may not have been generated.
        used: the modules that what was written so far needs.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        """`taken` are the names that the module or a class of it declares, which hide built-in ones."""
        self.taken = frozenset(taken)
        self.classes: dict[str, str] = {}
        self.used: set[str] = set()

    def of(self, kind: ParameterType | None) -> PythonType:
        """The type of a value."""
        match kind:
            case TensorType():
                return (self.torch("Tensor"),)
            case HostType() | AnyNumber():
                return (self.builtin(kind.kind),)
            case StringType():
                return (self.builtin("str"),)
            case NoResult() | None:
                return ("None",)
            case ResultsType(items=items):
                return (f"{self.builtin('tuple')}[{', '.join(map(self.union, items))}]",)
            case ModelType(name=name):
                return (self.own(name) or self.torch("nn.Module"),)
            case RecordType(name=name):
                return (self.own(name) or self.runtime("Batch"),)
            case LogsType(name=name):
                return (self.own(name) or self.runtime("Logs"),)
            case OptimizerType(kind=name):
                return (self.runtime(name),)
            case DatasetType(batched=batched):
                return (self.runtime("Batches" if batched else "Dataset"),)
            case GradType():
                return (self.runtime("Grad"),)
            case ModeType():
                return (self.runtime("Mode"),)
            case ScheduleType():
                return (self.runtime("Schedule"),)
        # A sink is whatever has a `write`, and nothing is known of a Python value.
        return (self.typing("Any"),)

    def parameter(self, parameter: ParameterInterface) -> PythonType:
        """The type of what a parameter takes: beside values of its type, what the function makes one of, where
        Python has no other way of giving one."""
        found = self.of(parameter.type)
        match parameter.type:
            case DatasetType(batched=False):
                return (*found, self.runtime("MapStyleDataset"))
            case ScheduleType():
                return (*found, self.builtin("float"))
            case TensorType() if parameter.has_default:
                return (*found, self.builtin("float"))
        return found

    def union(self, kind: ParameterType | None) -> str:
        """The type of a value as a part of another type."""
        return " | ".join(self.of(kind))

    # --- names ---

    def own(self, name: str) -> str | None:
        """The class of the file for a model or a record, or None for one that is declared elsewhere."""
        found = python_name(name)
        return found if found in self.classes else None

    def torch(self, name: str) -> str:
        return self._member("torch", name)

    def runtime(self, name: str) -> str:
        return self._member("shapescript_runtime", name)

    def typing(self, name: str) -> str:
        return self._member("typing", name)

    def builtin(self, name: str) -> str:
        """A built-in of Python, which the file may have another use for the name of."""
        return self._member("builtins", name) if name in self.taken else name

    def _member(self, module: str, name: str) -> str:
        self.used.add(module)
        return f"{MODULES[module]}.{name}"

    # --- how types relate ---

    def covers(self, wide: PythonType, narrow: PythonType) -> bool:
        """Whether every value of the type `narrow` is one of `wide`."""
        return all(any(self._derives(one, other) for other in wide) for one in narrow)

    def disjoint(self, left: PythonType, right: PythonType) -> bool:
        """Whether no value has both types."""
        return not any(self._derives(a, b) or self._derives(b, a) for a in left for b in right)

    def _derives(self, name: str | None, ancestor: str) -> bool:
        if ancestor.endswith(".Any"):
            return True
        while name is not None:
            if name == ancestor:
                return True
            name = self.classes.get(name) or _SUPERTYPES.get(name)
        return False


def annotation(kind: PythonType) -> str:
    """A type as an annotation: in quotes where it needs the runtime or a class of the file, which then needn't be
    loaded or come first."""
    text = " | ".join(dict.fromkeys(kind))
    plain = all(
        one.startswith(("_ss_torch.", "_ss_typing.", "_ss_builtins.")) or one in _PLAIN for one in kind
    )
    return text if plain else f'"{text}"'


_PLAIN = ("int", "float", "bool", "str", "None")
