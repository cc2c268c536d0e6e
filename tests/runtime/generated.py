"""Functions as the code generator writes them, for the tests of what they call.

dim D = 768
dim Dh = 16
fn project(x: [b n D], w: [D 3*D], mask: [n m] Mask) -> …
fn heads(x: [b n (h Dh)], w: [h Dh]) -> …
fn patches(img: [b 16gh 16gw], grid: [gh gw]) -> …
fn shifted(x: [n+1], y: [2*n+3], z: [n n]) -> …
fn grouped(x: [g k], y: [(g h)]) -> …
fn scalar(s: []) -> …
"""

from __future__ import annotations

from typing import Any

import shapescript_runtime as _ss_rt
from shapescript_runtime import AxisSpec, Parameter, Signature

_ss_dims = (("D", 768), ("Dh", 16))


def _name(text: str) -> AxisSpec:
    return AxisSpec(text, 0, ((1, (text,)),))


_ss_signature_project = Signature(
    "project",
    (
        Parameter("x", "layers.ss:3:12", "[b n D]", (_name("b"), _name("n"), AxisSpec("D", 768))),
        Parameter("w", "layers.ss:3:24", "[D 3*D]", (AxisSpec("D", 768), AxisSpec("3*D", 2304))),
        Parameter("mask", "layers.ss:3:36", "[n m] Mask", (_name("n"), _name("m"))),
    ),
    _ss_dims,
)


def project(x: Any, w: Any, mask: Any) -> Any:
    _ss_device = _ss_rt.device()
    try:
        b, n, _ss_1 = x.shape
        _ss_2, m = mask.shape
        _ss_ok = (
            _ss_1 == 768
            and w.shape == (768, 2304)
            and _ss_2 == n
            and x.device == w.device == mask.device == _ss_device
        )
    except (AttributeError, TypeError, ValueError):
        _ss_ok = False
    if not _ss_ok:
        _ss_rt.refuse_arguments(_ss_signature_project, x, w, mask)
    return (x @ w).reshape(b * n, 3, 768).sum(2) * (m + mask.sum())


_ss_signature_heads = Signature(
    "heads",
    (
        Parameter(
            "x",
            "layers.ss:7:10",
            "[b n (h Dh)]",
            (_name("b"), _name("n"), AxisSpec("(h Dh)", 0, ((16, ("h",)),))),
        ),
        Parameter("w", "layers.ss:7:27", "[h Dh]", (_name("h"), AxisSpec("Dh", 16))),
    ),
    _ss_dims,
)


def heads(x: Any, w: Any) -> Any:
    _ss_device = _ss_rt.device()
    try:
        b, n, _ss_1 = x.shape
        h, _ss_2 = w.shape
        _ss_ok = _ss_1 == 16 * h and _ss_2 == 16 and x.device == w.device == _ss_device
    except (AttributeError, TypeError, ValueError):
        _ss_ok = False
    if not _ss_ok:
        _ss_rt.refuse_arguments(_ss_signature_heads, x, w)
    return x.reshape(b, n, h, 16) * w


_ss_signature_patches = Signature(
    "patches",
    (
        Parameter(
            "img",
            "layers.ss:11:12",
            "[b 16gh 16gw]",
            (_name("b"), AxisSpec("16gh", 0, ((16, ("gh",)),)), AxisSpec("16gw", 0, ((16, ("gw",)),))),
        ),
    ),
    _ss_dims,
)


def patches(img: Any) -> Any:
    _ss_device = _ss_rt.device()
    try:
        b, _ss_1, _ss_2 = img.shape
        gh = _ss_1 // 16
        gw = _ss_2 // 16
        _ss_ok = _ss_1 == 16 * gh and _ss_2 == 16 * gw and img.device == _ss_device
    except (AttributeError, TypeError, ValueError):
        _ss_ok = False
    if not _ss_ok:
        _ss_rt.refuse_arguments(_ss_signature_patches, img)
    return img.reshape(b, gh, 16, gw, 16)


_ss_signature_shifted = Signature(
    "shifted",
    (
        Parameter("x", "layers.ss:15:12", "[n+1]", (AxisSpec("n+1", 1, ((1, ("n",)),)),)),
        Parameter("y", "layers.ss:15:22", "[2*n+3]", (AxisSpec("2*n+3", 3, ((2, ("n",)),)),)),
        Parameter("z", "layers.ss:15:34", "[n n]", (_name("n"), _name("n"))),
    ),
)


def shifted(x: Any, y: Any, z: Any) -> Any:
    _ss_device = _ss_rt.device()
    try:
        (_ss_1,) = x.shape
        n = _ss_1 - 1
        _ss_ok = (
            n >= 0
            and y.shape == (2 * n + 3,)
            and z.shape == (n, n)
            and x.device == y.device == z.device == _ss_device
        )
    except (AttributeError, TypeError, ValueError):
        _ss_ok = False
    if not _ss_ok:
        _ss_rt.refuse_arguments(_ss_signature_shifted, x, y, z)
    return n


_ss_signature_grouped = Signature(
    "grouped",
    (
        Parameter("y", "layers.ss:19:12", "[(g h)]", (AxisSpec("(g h)", 0, ((1, ("g", "h")),)),)),
        Parameter("x", "layers.ss:19:24", "[g k]", (_name("g"), _name("k"))),
    ),
)


def grouped(y: Any, x: Any) -> Any:
    _ss_device = _ss_rt.device()
    try:
        (_ss_1,) = y.shape
        g, k = x.shape
        h = _ss_1 // g
        _ss_ok = _ss_1 == g * h and y.device == x.device == _ss_device
    except (AttributeError, TypeError, ValueError, ZeroDivisionError):
        _ss_ok = False
    if not _ss_ok:
        _ss_rt.refuse_arguments(_ss_signature_grouped, y, x)
    return h + k


_ss_signature_scalar = Signature("scalar", (Parameter("s", "layers.ss:23:11", "[]", ()),))


def scalar(s: Any) -> Any:
    _ss_device = _ss_rt.device()
    try:
        _ss_ok = s.shape == () and s.device == _ss_device
    except (AttributeError, TypeError, ValueError):
        _ss_ok = False
    if not _ss_ok:
        _ss_rt.refuse_arguments(_ss_signature_scalar, s)
    return s
