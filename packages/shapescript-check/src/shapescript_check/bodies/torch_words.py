"""What PyTorch and Python call things that have another name here, or none: one table for each place of a word.

In a help `{x}` stands for the operand, `{axes}` for its axes in order, `{turned}` for these with the last two swapped,
and `{over}` for the last one's name.
"""

from __future__ import annotations

from typing import Final

_GRADIENT: Final = "a gradient is a value: l, g = value_and_grad(loss, m, batch)"

WORDS: Final[dict[str, str]] = {
    # Python
    "torch": "to use Python's torch, declare `import python torch` at the top of the file",
    "np": "to use NumPy, declare `import python numpy` at the top of the file",
    "True": "write true",
    "False": "write false",
    "None": "there is no None: leave the argument out",
    "len": "an axis's name is its size: write {over}",
    "range": "write for i in 0..n:",
    "float": "write {x} to f32",
    "int": "write {x} to i64",
    "bool": "write {x} != 0",
    # Axes
    "transpose": "write rearrange({x}, {axes} -> {turned})",
    "permute": "write rearrange({x}, {axes} -> {turned})",
    "movedim": "write rearrange({x}, {axes} -> {turned})",
    "swapaxes": "write rearrange({x}, {axes} -> {turned})",
    "T": "write rearrange({x}, {axes} -> {turned})",
    "mT": "write rearrange({x}, {axes} -> {turned})",
    "t": "write rearrange({x}, {axes} -> {turned})",
    "reshape": "write rearrange({x}, a (b c) -> a b c, b=4)",
    "view": "write rearrange({x}, a (b c) -> a b c, b=4)",
    "unflatten": "write rearrange({x}, a (b c) -> a b c, b=4)",
    "flatten": "write rearrange({x}, a b c -> a (b c))",
    "ravel": "write rearrange(x, a b -> (a b))",
    "unsqueeze": "axes line up by name, so it isn't needed; to add one, write rearrange({x}, a -> a 1)",
    "squeeze": "write rearrange({x}, a 1 -> a)",
    "expand": "axes line up by name, so it isn't needed; to repeat values, write repeat(x, a -> a k, k=3)",
    "expand_as": "axes line up by name, so it isn't needed",
    "broadcast_to": "axes line up by name, so it isn't needed",
    "tile": "write repeat(x, a -> (k a), k=3)",
    "repeat_interleave": "write repeat(x, a -> (a k), k=3)",
    "chunk": "write a, b = split(x, (2 n) -> n)",
    "unbind": "write a, b = split(x, 2 n -> n)",
    "concat": "write cat({x}, y, over={over})",
    "concatenate": "write cat({x}, y, over={over})",
    "vstack": "write cat({x}, y, over={over})",
    "hstack": "write cat({x}, y, over={over})",
    # Selecting
    "masked_select": "write x[mask]",
    "index_select": "write x[ids]",
    "take_along_dim": "write gather(x, ids, over=n)",
    "select": "write x[0]",
    "narrow": "write x[1:3]",
    "nonzero": "write iota(n)[mask]",
    # Products
    "bmm": "write {x} @ y",
    "mm": "write {x} @ y",
    "mv": "write {x} @ y",
    "dot": "write {x} @ y",
    "inner": "write {x} @ y",
    "outer": "write einsum(x, y: a, b -> a b)",
    "tensordot": "write einsum(x, y: a b, b c -> a c)",
    "trace": "write sum(x * eye(n))",
    "diagonal": "write x[iota(n), iota(n)]",
    "diag": "write x[iota(n), iota(n)]",
    # Reductions
    "amax": "write max({x}, over={over})",
    "amin": "write min({x}, over={over})",
    "numel": "an axis's name is its size: write n * m",
    # Elementwise
    "clip": "write clamp({x}, 0.0, 1.0)",
    "swish": "write silu(x)",
    "power": "write pow(x, p)",
    "multiply": "write x * y",
    "subtract": "write x - y",
    "divide": "write x / y",
    "true_divide": "write x / y",
    "negative": "write -x",
    "eq": "write x == y",
    "ne": "write x != y",
    "lt": "write x < y",
    "le": "write x <= y",
    "gt": "write x > y",
    "ge": "write x >= y",
    "logical_and": "write mask and other",
    "logical_or": "write mask or other",
    "logical_not": "write !mask",
    "logical_xor": "write mask != other",
    "lerp": "write x + weight * (y - x)",
    "sgn": "write sign(x)",
    "fmod": "write x - y * floor(x / y)",
    "remainder": "write x - y * floor(x / y)",
    # New tensors
    "arange": "write iota(n)",
    "linspace": "write iota(n) / (n - 1)",
    "tensor": "write the number, or full([n], 0.0)",
    "empty": "write zeros([n])",
    "full_like": "write full([n], 0.0)",
    "rand": "write uniform([n], mode)",
    "randn": "write normal([n], mode)",
    "rand_like": "write uniform([n], mode)",
    "randn_like": "write normal([n], mode)",
    # Values
    "half": "write {x} to f16",
    "double": "write {x} to f64",
    "long": "write {x} to i64",
    "type": "write x to f32",
    "type_as": "write x to f32",
    "clone": "values aren't changed in place, so there is nothing to copy",
    "contiguous": "the layout in memory is the compiler's affair: leave it out",
    "item": "a tensor stays on the device; in Python, the result has item()",
    "cpu": "the devices line says where the program runs",
    "cuda": "the devices line says where the program runs",
    "device": "the devices line says where the program runs",
    "dtype": "a type says the dtype; to change it, write {x} to bf16",
    "shape": "a type says the shape; an axis's name is its size",
    "size": "a type says the shape; an axis's name is its size",
    "ndim": "a type says the shape; an axis's name is its size",
    "bfloat16": "write {x} to bf16",
    "dim": "a type says the shape; an axis's name is its size",
    "nelement": "an axis's name is its size: write n * m",
    "numpy": "a tensor stays on the device; in Python, the result has numpy()",
    "tolist": "a tensor stays on the device; in Python, the result has tolist()",
    "detach": "only what a differentiated function does is differentiated: pass it as an argument",
    # Training
    "backward": _GRADIENT,
    "grad": _GRADIENT,
    "requires_grad": _GRADIENT,
    "requires_grad_": _GRADIENT,
    "no_grad": "it isn't needed: gradients are computed by value_and_grad, wherever it is called",
    "manual_seed": "there is no global seed: a Mode, such as Train(seed=0), says what is drawn",
    "Module": "what has parameters is a model: model M: with its fields",
    "Parameter": "a parameter is a field of a model: param w: [D] = zeros",
    "Linear": "a layer is a function of a model's fields: linear(x, m.w)",
    "Embedding": "a table is indexed: m.table[ids]",
    # Losses
    "nll_loss": "write cross_entropy(logits, y, over=C)",
}


OF_MODELS: Final[dict[str, str]] = {
    **dict.fromkeys(("backward", "grad", "requires_grad", "requires_grad_"), _GRADIENT),
    **dict.fromkeys(("cpu", "cuda", "device"), WORDS["device"]),
    **dict.fromkeys(("train", "eval"), "whether it trains is an argument, a Mode: Train(seed=0) or Eval"),
    **dict.fromkeys(
        ("parameters", "named_parameters"), "an optimizer takes the whole model, as in adamw(m, lr=3e-4)"
    ),
    "forward": "functions are called by name: forward(m, x)",
    "load_state_dict": 'a checkpoint gives back the whole model: write m = load("ckpt.pt", M)',
    "state_dict": 'a checkpoint takes the whole model: write save("ckpt.pt", m)',
    "step": "write update(mut m, mut opt, g)",
    "zero_grad": "it isn't needed: each gradient is a value of its own",
}
"""Members of models, gradients and optimizers."""

LAYERS: Final[dict[str, str]] = {
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
"""The function of a layer's class, by how the class's name begins."""

MODULES: Final[dict[str, str]] = {
    **dict.fromkeys(("torch", "nn", "F", "functional"), "torch"),
    **dict.fromkeys(("np", "numpy"), "numpy"),
    "jnp": "jax.numpy",
    "math": "math",
}
"""The module that a name often is in Python."""

KEYWORDS: Final[dict[str, str]] = {
    "device": WORDS["device"],
    "dtype": "the result's dtype is changed after the call: to bf16",
    "inplace": "it isn't needed: no operation changes a tensor in place",
}
"""Parameters of many of PyTorch's functions."""
