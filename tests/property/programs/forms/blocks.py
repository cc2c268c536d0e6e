"""`if` and `for`."""

from __future__ import annotations

from shapescript_check.types.values import HostType
from tests.property.programs.chooser import Chooser
from tests.property.programs.forms import form

_CHANGES = (
    "{0} = {0} * 0.5",
    "{0} = {0} + {0}",
    "{0} = -{0}",
    "{0} = relu({0})",
    "{0} = clamp({0}, -1.0, 1.0)",
    "{0} = {0} + 1",
    "{0} = where({0} > 0, {0}, {0} * 0.1)",
    "{0} = maximum({0}, 0.0)",
    "{0} = tanh({0})",
    "{0} = {0} - 0.25",
    "{0} = square({0})",
    "{0} = abs({0}) * 2",
)


def _condition(c: Chooser) -> str:
    if c.chance(0.5):
        return f"{c.host('int', 'float')} {c.one('<', '>', '==', '<=')} {c.host('int', 'float')}"
    x = c.existing(lambda k: not k.is_mask and k.axes is not None)
    if x is None:
        return "true"
    return c.one(f"any({x[0]} > 0)", f"all({x[0]} == {x[0]})", f"sum({x[0]}) > 0")


def _changed(c: Chooser) -> str | None:
    """A statement that gives a value from outside a new one of the same shape and dtype."""
    x = c.existing(lambda k: not k.is_mask and k.axes is not None)
    host = [n for n in c.draft.values if n.startswith("h")]
    if host and c.chance(0.2):
        return c.one("{0} = {0} + 1", "{0} = {0} * 2", "{0} = {0} - 1").format(c.rng.choice(host))
    if x is None or x[0] not in c.draft.values:
        return None
    return c.rng.choice(_CHANGES).format(x[0])


def _block(c: Chooser, least: int = 1) -> list[str] | None:
    """The lines of a block: some change values from outside, others are the block's own."""
    from tests.property.programs.writing import add_statement

    with c.draft.block() as lines:
        for _ in range(c.rng.randint(least, 3)):
            changed = _changed(c)
            if changed is not None and c.chance(0.6):
                c.draft.attempt(changed, "block change")
            else:
                add_statement(c.draft, blocks=False)
        return lines or None


@form("for", statement=True)
def _for(c: Chooser) -> str | None:
    variable = c.draft.fresh("i")
    lo = c.one("0", "0", "1", "-1")
    hi = c.host("int") if c.chance(0.4) else c.one("0", "1", "2", "3")
    outer = c.draft.checker.scope
    c.draft.checker.scope = outer.copy()
    c.draft.values[variable] = HostType("int")
    try:
        lines = _block(c)
    finally:
        c.draft.checker.scope = outer
        c.draft.declare_parameters()
    return None if lines is None else f"for {variable} in {lo}..{hi}:\n{''.join(lines)}".rstrip("\n")


@form("if", statement=True)
def _if(c: Chooser) -> str | None:
    condition = _condition(c)
    body = _block(c)
    if body is None:
        return None
    text = f"if {condition}:\n{''.join(body)}"
    orelse = _block(c) if c.chance(0.6) else None
    if orelse is not None:
        text += f"else:\n{''.join(orelse)}"
    return text.rstrip("\n")


@form("if binds", statement=True)
def _binds(c: Chooser) -> str | None:
    """A name that both blocks bind, with ranges of their own."""
    x = c.tensor(numbers=True)
    if x is None:
        return None
    name = c.draft.fresh("v")
    changes = ["{0}", "relu({0})", "{0} * 0.5", "clamp({0}, 0.0, 1.0)", "tanh({0})", "-{0}", "square({0})"]
    one, other = (c.rng.choice(changes).format(x[0]) for _ in range(2))
    return f"if {_condition(c)}:\n    {name} = {one}\nelse:\n    {name} = {other}"


@form("host counter", statement=True)
def _counter(c: Chooser) -> str | None:
    name = c.draft.fresh("h")
    return f"{name} = {c.one('0', '1', '0.5', '2')}"
