"""The names that no field of a model can have are torch.nn.Module's own."""

from __future__ import annotations

import torch

from shapescript_check import Checker
from shapescript_check.declarations.module_attributes import _ATTRIBUTES, is_module_attribute

PUBLIC = frozenset(name for name in dir(torch.nn.Module()) if not name.startswith("_"))
ANNOTATED = frozenset(name for name in torch.nn.Module.__annotations__ if not name.startswith("_"))


def test_the_list_is_what_torch_has() -> None:
    assert sorted(PUBLIC | ANNOTATED) == sorted(_ATTRIBUTES)


def test_each_of_them_is_refused_as_a_fields_name() -> None:
    names = sorted(PUBLIC - {"to"})  # a keyword here, and so no name at all
    fields = "".join(f"    buffer {name}: [3] = zeros\n" for name in names)
    found = Checker().check("fields.ss", f"model Net:\n{fields}").diagnostics
    assert [d.code for d in found] == ["E0902"] * len(names)
    assert [
        d.code for d in Checker().check("to.ss", "model Net:\n    buffer to: [3] = zeros\n").diagnostics
    ] == ["E0201"]


def test_ordinary_names_are_free() -> None:
    names = ("w", "weight", "bias", "layers", "mean", "std", "running_mean")
    assert not any(is_module_attribute(name) for name in names)
