"""How what PyTorch and NumPy users write is written here, for the helps of what isn't known."""

from __future__ import annotations

from typing import Final

from shapescript_check import operations, quoting
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.interfaces import AxisParameter, FnInterface, OverloadsInterface
from shapescript_check.operations.parameters import Kind
from shapescript_check.prelude import stub_names
from shapescript_check.types.axes import Axes, named
from shapescript_check.types.values import TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest

_LONGEST: Final = 30
_SIZES: Final = "a type says the shape; an axis's name is its size"
_DEVICE: Final = "the devices line says where the program runs"
_GRADIENT: Final = "a gradient is a value: write l, g = value_and_grad(loss, m, batch)"
_SPLIT: Final = "write rearrange({x}, a (b c) -> a b c, b=4)"
_TURNED: Final = "write rearrange({x}, {axes} -> {turned})"
_LINED_UP: Final = "it isn't needed: axes line up by name, and one that is missing is broadcast"
_NEVER_CHANGES: Final = "it isn't needed: no operation changes a tensor in place"
_UPDATE: Final = "write update(mut m, mut opt, g)"
_MODE: Final = "whether it trains is an argument, a Mode: Train(seed=0) or Eval"
_IN_PYTHON: Final = "a tensor becomes a number in Python, outside the program; print({x}) shows it"
_JOINED: Final = "write cat({x}, y, over={over})"
_PARAMETERS: Final = "an optimizer takes the whole model, as in adamw(m, lr=3e-4)"
_DRAWN: Final = "write normal([{axes}], mode), where mode says what it draws from"
_LAYER: Final = "a layer is a function of a model's fields: {function}"

WRITTEN_HERE: Final[dict[str, str]] = {
    **dict.fromkeys(("T", "mT", "t", "transpose", "swapaxes", "permute", "movedim"), _TURNED),
    **dict.fromkeys(("view", "reshape", "unflatten"), _SPLIT),
    **dict.fromkeys(("flatten", "ravel"), "write rearrange({x}, a b c -> a (b c))"),
    **dict.fromkeys(("expand", "expand_as", "broadcast_to"), _LINED_UP),
    "unsqueeze": "axes line up by name, so it isn't needed; to add one, write rearrange({x}, a -> a 1)",
    "squeeze": "write rearrange({x}, a 1 -> a)",
    **dict.fromkeys(("tile", "repeat_interleave"), "write repeat({x}, a -> (a 3))"),
    "chunk": "write split({x}, a (3 b) -> a b)",
    **dict.fromkeys(("concat", "concatenate", "hstack", "vstack"), _JOINED),
    "amax": "write max({x}, over={over})",
    "amin": "write min({x}, over={over})",
    "clip": "write clamp({x}, 0, 1)",
    **dict.fromkeys(("bmm", "mm", "dot"), "write {x} @ y"),
    **dict.fromkeys(("shape", "size", "ndim", "dim", "numel", "nelement"), _SIZES),
    "len": "an axis's name is its size: write {over}",
    "range": "write for i in 0..n:",
    "dtype": "a type says the dtype; to change it, write {x} to bf16",
    "float": "to change the dtype, write {x} to f32",
    "half": "to change the dtype, write {x} to f16",
    "bfloat16": "to change the dtype, write {x} to bf16",
    "double": "to change the dtype, write {x} to f64",
    "int": "to change the dtype, write {x} to i32",
    "long": "to change the dtype, write {x} to i64",
    "bool": "a comparison makes a mask: write {x} != 0",
    **dict.fromkeys(("device", "cuda", "cpu"), _DEVICE),
    **dict.fromkeys(("contiguous", "clone"), _NEVER_CHANGES),
    **dict.fromkeys(("item", "numpy", "tolist"), _IN_PYTHON),
    **dict.fromkeys(("backward", "grad", "requires_grad", "requires_grad_", "autograd"), _GRADIENT),
    "zero_grad": "it isn't needed: each gradient is a value of its own",
    "no_grad": "it isn't needed: gradients are computed by value_and_grad, wherever it is called",
    "detach": "only what a differentiated function does is differentiated: pass it as an argument",
    "step": _UPDATE,
    **dict.fromkeys(("parameters", "named_parameters"), _PARAMETERS),
    **dict.fromkeys(("train", "eval"), _MODE),
    "state_dict": 'a checkpoint takes the whole model: write save("ckpt.pt", m)',
    "load_state_dict": 'a checkpoint gives back the whole model: write m = load("ckpt.pt", M)',
    "manual_seed": "there is no global seed: a Mode, such as Train(seed=0), says what is drawn",
    **dict.fromkeys(("randn", "randn_like"), _DRAWN),
    **dict.fromkeys(
        ("rand", "rand_like"), "write uniform([{axes}], mode), where mode says what it draws from"
    ),
    **dict.fromkeys(("empty", "empty_like"), "write zeros([{axes}])"),
    "full_like": "write full([{axes}], 0.5)",
    "arange": "write iota(n), the numbers from 0 up to n-1",
    "linspace": "write (iota(n) to f32) / (n - 1)",
    **dict.fromkeys(("tensor", "as_tensor", "array"), "write full([{axes}], 0.5); data are a parameter"),
    "Tensor": "a type is a shape: write x: [{axes}]",
    "Parameter": "a parameter is a field of a model: param w: [D] = zeros",
    "Module": "write model M: with param and buffer fields",
    "Linear": _LAYER.format(function="linear(x, m.w)"),
    "Embedding": "a table is indexed: write m.table[ids]",
    "True": "write true",
    "False": "write false",
}
"""PyTorch's name, whether function, method or attribute: the help. `{x}` is the operand, `{axes}` its axes in order,
`{turned}` with the last two swapped, and `{over}` the last one's name."""

_OF_LAYERS: Final[dict[str, str]] = {
    "BatchNorm": "batch_norm",
    "Conv": "conv2d",
    "CrossEntropyLoss": "cross_entropy",
    "Dropout": "dropout",
    "GELU": "gelu",
    "GroupNorm": "group_norm",
    "LayerNorm": "layer_norm",
    "MSELoss": "mse_loss",
    "MaxPool": "max_pool2d",
    "RMSNorm": "rms_norm",
    "ReLU": "relu",
    "SiLU": "silu",
    "Sigmoid": "sigmoid",
    "Softmax": "softmax",
    "Tanh": "tanh",
}
_MODULES: Final = {
    "torch": "torch",
    "np": "numpy",
    "numpy": "numpy",
    "nn": "torch",
    "F": "torch",
    "math": "math",
}
_OF_MODELS: Final = (
    *(
        "cpu",
        "cuda",
        "device",
        "eval",
        "load_state_dict",
        "named_parameters",
        "parameters",
        "state_dict",
        "train",
    ),
    *("backward", "grad", "requires_grad", "requires_grad_", "step", "zero_grad"),
)
_KEYWORDS: Final[dict[str, str]] = {
    "inplace": _NEVER_CHANGES,
    "device": _DEVICE,
    "dtype": "the result's dtype is changed after the call: to bf16",
}


def member_help(checker: BodyChecker, kind: ValueType, name: str, owner: Span | None) -> str | None:
    """For a member that a value hasn't."""
    text = _short(checker, owner) if owner is not None else "x"
    known = _filled(WRITTEN_HERE.get(name), kind, text)
    if known is not None:
        return known
    called = _call(checker, kind, name.removesuffix("_"), text)
    if called is not None:
        return f"functions are called by name: {called}"
    near = closest(name, {*operations.names(), *stub_names()}) if isinstance(kind, TensorType) else None
    return f"did you mean {_call(checker, kind, near, text)}?" if near else None


def name_help(name: str) -> str | None:
    """For a name that is none."""
    layer = next((f for prefix, f in _OF_LAYERS.items() if name.startswith(prefix)), None)
    if layer is not None:
        return _LAYER.format(function=f"{layer}(x)")
    return _filled(WRITTEN_HERE.get(name), None, "x")


def entity_help(name: str) -> str | None:
    """For a member that a model, a gradient or an optimizer hasn't."""
    if name == "forward":
        return "functions are called by name: forward(m, x)"
    return _filled(WRITTEN_HERE[name], None, "x") if name in _OF_MODELS else None


def keyword_help(name: str) -> str | None:
    """For a parameter that a function hasn't."""
    return _KEYWORDS.get(name)


def report_foreign(checker: BodyChecker, syntax: tree.Attribute) -> bool:
    """Reports `torch.gelu`, `F.gelu` and the like where no such module is imported (E0301)."""
    root: tree.Expr = syntax
    while isinstance(root, tree.Attribute):
        root = root.value
    if not isinstance(root, tree.Ident) or root.name not in _MODULES or checker.incomplete:
        return False
    scope = checker.scope
    if root.name in scope.values or root.name in scope.axes or checker.interface(root.name) is not None:
        return False
    if checker.elements and root.name in checker.binding:
        return False
    name = syntax.name.text
    module = _MODULES[root.name]
    if operations.lookup(name) is not None or name in stub_names():
        help_text = f"`{name}` is built in: write {name}(x)"
    else:
        help_text = (
            name_help(name)
            or f"to use Python's {module}, declare `import python {module}` at the top of the file"
        )
    checker.report("E0301", root.span, f"nothing named `{root.name}` is in scope", help=help_text)
    return True


def last_axis(kind: ValueType | None) -> str | None:
    """The name of the last axis that has one."""
    axes = kind.axes if isinstance(kind, TensorType) else None
    known = named(axes) if axes else ()
    return known[-1] if known else None


def _call(checker: BodyChecker, kind: ValueType, name: str, text: str) -> str | None:
    """A call of a function of this name, if there is one."""
    operation = operations.lookup(name)
    if operation is not None:
        needed = [p for p in operation.parameter_list if not p.optional and p.kind is not Kind.SIZES]
        over = len(needed) == 2 and needed[1].kind is Kind.AXIS
        more = len(needed) > 1
    else:
        found = checker.interface(name)
        if not isinstance(found, FnInterface | OverloadsInterface):
            return None
        left = (
            [p for p in found.parameters if not p.has_default][1:] if isinstance(found, FnInterface) else []
        )
        over = len(left) == 1 and isinstance(left[0].type, AxisParameter)
        more = bool(left) or isinstance(found, OverloadsInterface)
    return (
        f"{name}({text}, over={last_axis(kind) or 'D'})"
        if over
        else f"{name}({text}{', ...' if more else ''})"
    )


def _filled(template: str | None, kind: ValueType | None, text: str) -> str | None:
    if template is None:
        return None
    axes = _written(kind.axes) if isinstance(kind, TensorType) and kind.axes else ["a", "b"]
    if len(axes) < 2:
        axes = [*axes, "b"] if "{turned}" in template else axes
    turned = [*axes[:-2], *axes[:-3:-1]]
    return template.format(x=text, axes=" ".join(axes), turned=" ".join(turned), over=last_axis(kind) or "n")


def _written(axes: Axes) -> list[str]:
    """Names for axes in a pattern, made up for those that have none."""
    spare = iter("abcdefgh")
    known = set(named(axes))
    return [a.name or next(s for s in spare if s not in known) for a in axes]


def _short(checker: BodyChecker, span: Span) -> str:
    """The operand's text as a call can hold it, or x where it is long."""
    text = " ".join(checker.text(span).split())
    return quoting.operand(text) if len(text) <= _LONGEST else "x"
