"""The syntax tree: one class per rule of the grammar, every node with a span.

Sizes, axes of types and sides of patterns use the same classes, since they are written the same way. What
could not be read is a node too (`ErrorExpr`, `ErrorStmt`, `ErrorItem`), so nothing downstream meets None where
the grammar asks for something.
"""

from __future__ import annotations

from typing import TypeAlias

from shapescript_syntax.records import node
from shapescript_syntax.spans import Span

# --- names -------------------------------------------------------------------------------------------------


@node
class Name:
    """An identifier where it is declared or referred to by a fixed place of the grammar."""

    span: Span
    text: str


# --- expressions, sizes and axes ---------------------------------------------------------------------------


@node
class Int:
    span: Span
    value: int


@node
class Float:
    span: Span
    value: float
    text: str


@node
class String:
    span: Span
    value: str


@node
class Inf:
    span: Span


@node
class Bool:
    span: Span
    value: bool


@node
class Ident:
    span: Span
    name: str


@node
class Hole:
    """`_`, where a pipe's input goes, or a parameter a lambda ignores."""

    span: Span


@node
class Unary:
    """`-x` or `!x`."""

    span: Span
    op: str
    operand: Expr


@node
class Binary:
    """Two operands of `+ - * / @`, a comparison, `and` or `or`. Sizes use the first four."""

    span: Span
    op: str
    op_span: Span
    left: Expr
    right: Expr


@node
class Argument:
    """An argument of a call: `name` is None for a positional one; `mut` is the span of a `mut` before it.

    The value is a ShapeExpr in `zeros([b D])` and the other calls that take a shape.
    """

    span: Span
    name: Name | None
    value: Expr | Pattern | ShapeExpr
    mut: Span | None


@node
class Call:
    span: Span
    callee: Expr
    arguments: tuple[Argument, ...]


@node
class Pattern:
    """`inputs -> output`. `operands` are the expressions before a `:`, as in `einsum(q, k: a, b -> c)`;
    empty where the operand is the argument before the pattern."""

    span: Span
    operands: tuple[Expr, ...]
    inputs: tuple[Side, ...]
    output: Side


@node
class Side:
    """One side of a pattern. Entries are Ident, Int, GroupedSize or Group."""

    span: Span
    entries: tuple[AxisExpr, ...]


@node
class Slice:
    """`lo:hi:step`, each part optional."""

    span: Span
    lo: Expr | None
    hi: Expr | None
    step: Expr | None


@node
class Juxtaposed:
    """Several expressions with only spaces between, as in `causal[n m]`."""

    span: Span
    items: tuple[Expr, ...]


@node
class Index:
    span: Span
    value: Expr
    indices: tuple[Expr | Slice | Juxtaposed, ...]


@node
class Attribute:
    span: Span
    value: Expr
    name: Name


@node
class Cast:
    """`value as type` or `value to type`; `op` is the keyword."""

    span: Span
    op: str
    op_span: Span
    value: Expr
    type: TypeExpr


@node
class ToStage:
    """`to type` as a stage of a pipe, or as the whole function of `map` or `filter`."""

    span: Span
    type: TypeExpr


@node
class Pipe:
    """`input |> stage`; a pipeline of several stages nests to the left."""

    span: Span
    input: Expr
    stage: Expr
    pipe_span: Span


@node
class Lambda:
    span: Span
    parameters: tuple[Name | Hole, ...]
    body: Expr


@node
class Range:
    """`lo..hi`, in a `for` header or at the start of an iterator chain."""

    span: Span
    lo: Expr
    hi: Expr


@node
class ErrorExpr:
    """What the parser could not read; it has been reported."""

    span: Span


@node
class Group:
    """`(gh gw)`, several axes that are one."""

    span: Span
    axes: tuple[AxisExpr, ...]


@node
class GroupedSize:
    """`16gh`, the group (gh 16)."""

    span: Span
    number: int
    name: Name


@node
class UnknownSize:
    """`?k`; `name` is without the question mark."""

    span: Span
    name: str


@node
class Rest:
    """`...`, any other axes."""

    span: Span


Expr: TypeAlias = (
    "Int | Float | String | Inf | Bool | Ident | Hole | Unary | Binary | Call | Index | Attribute | Cast | ToStage"
    " | Pipe | Lambda | Range | ErrorExpr"
)
SizeExpr: TypeAlias = "Int | Ident | Attribute | Binary | ErrorExpr"
AxisExpr: TypeAlias = (
    "Int | Ident | Attribute | Binary | Group | GroupedSize | UnknownSize | Rest | ErrorExpr"
)


# --- types -------------------------------------------------------------------------------------------------


@node
class ShapeExpr:
    span: Span
    axes: tuple[AxisExpr, ...]


@node
class TypeWord:
    """A name in a type after its shape: an alias, a domain, a dtype, a model, `Grad[Mlp]`, `Logit over C`.

    `qualifier` is the file in `vision.Images`. `argument` is what stands in brackets: a size expression, or,
    for `Grad[M]` and the like, a name that reads as one. Which kind of thing the word names is for the checker
    to say, since it depends on declarations.
    """

    span: Span
    qualifier: Name | None
    name: Name
    argument: SizeExpr | None
    over: Name | None


@node
class TypeExpr:
    """A type as written: an optional shape, then at most three words; neither where it could not be read."""

    span: Span
    shape: ShapeExpr | None
    words: tuple[TypeWord, ...]


# --- statements --------------------------------------------------------------------------------------------


@node
class Return:
    span: Span
    value: Expr | None


@node
class Bind:
    span: Span
    names: tuple[Name, ...]
    value: Expr


@node
class SetField:
    """`m.w = e`."""

    span: Span
    target: Name
    field: Name
    value: Expr


@node
class For:
    """`for variable in iterable:`; the iterable is a Range or an expression. `header` spans the first line."""

    span: Span
    header: Span
    variable: Name
    iterable: Expr
    body: tuple[Stmt, ...]


@node
class If:
    """`orelse` is None without an `else`. `header` spans `if` and its condition."""

    span: Span
    header: Span
    condition: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] | None


@node
class ExprStmt:
    span: Span
    value: Expr


@node
class ErrorStmt:
    span: Span


Stmt: TypeAlias = "Return | Bind | SetField | For | If | ExprStmt | ErrorStmt"


# --- declarations ------------------------------------------------------------------------------------------


@node
class Parameter:
    """`mut` is the span of the keyword, or None."""

    span: Span
    name: Name
    type: TypeExpr | None
    default: Expr | None
    mut: Span | None


@node
class DeviceOption:
    """An indented line under `devices`: its words as written."""

    span: Span
    words: tuple[str, ...]


@node
class Devices:
    """`numbers` is None without brackets."""

    span: Span
    device: Name
    numbers: tuple[Int, ...] | None
    options: tuple[DeviceOption, ...]


@node
class Dim:
    span: Span
    name: Name
    value: SizeExpr
    doc: str | None


@node
class Alias:
    """`dim Images = [b 3 h w]`."""

    span: Span
    name: Name
    shape: ShapeExpr
    doc: str | None


@node
class Domain:
    span: Span
    name: Name
    lo: Expr
    hi: Expr
    lo_open: bool
    hi_open: bool
    doc: str | None


@node
class Fn:
    """`body` is a tuple of statements, or the expression after `=`. `header` spans `fn` to the return type."""

    span: Span
    header: Span
    name: Name
    parameters: tuple[Parameter, ...]
    returns: TypeExpr | None
    body: tuple[Stmt, ...] | Expr
    exported: bool
    doc: str | None


@node
class ExternFn:
    span: Span
    header: Span
    name: Name
    parameters: tuple[Parameter, ...]
    returns: TypeExpr | None
    path: String
    doc: str | None


@node
class ImportPython:
    """`import python torch.nn`."""

    span: Span
    parts: tuple[Name, ...]
    doc: str | None


@node
class Import:
    """`import models.mlp as mlp`; `alias` is None without `as`."""

    span: Span
    parts: tuple[Name, ...]
    alias: Name | None


@node
class Field:
    """A field of a model; `kind` is `param` or `buffer`, `initializer` may be missing."""

    span: Span
    kind: str
    name: Name
    type: TypeExpr
    initializer: Expr | None
    doc: str | None


@node
class Model:
    span: Span
    name: Name
    fields: tuple[Field, ...]
    doc: str | None


@node
class DataField:
    span: Span
    name: Name
    type: TypeExpr
    doc: str | None


@node
class Data:
    span: Span
    name: Name
    fields: tuple[DataField, ...]
    doc: str | None


@node
class Metric:
    """A metric of a logs record. Its combining word is the last word of `type`, for the checker to take off."""

    span: Span
    name: Name
    type: TypeExpr
    doc: str | None


@node
class Logs:
    span: Span
    name: Name
    metrics: tuple[Metric, ...]
    doc: str | None


@node
class ErrorItem:
    """A top-level line that is no declaration; it has been reported.

    `name` is what it was about to declare, if that is known, so that nobody reports uses of the name as well.
    """

    span: Span
    name: Name | None


Item: TypeAlias = (
    "Devices | Dim | Alias | Domain | Fn | ExternFn | ImportPython | Import | Model | Data | Logs | ErrorItem"
)
