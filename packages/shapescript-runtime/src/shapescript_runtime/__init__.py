"""What generated Python calls: checks, devices and tensor routines, on top of torch alone.

Generated modules import it as `_ss_rt`. `checks` says what their argument checks look like.
"""

from __future__ import annotations

from . import nn
from .assertions import check_host, check_shape
from .checks import refuse_arguments, solve_axis
from .declared import declare, device, devices
from .domains import check_additive, check_binary, check_index, check_mask, check_prob, check_range
from .errors import DeviceError, DomainError, ShapeError
from .parameters import MISSING, as_tensor, refuse_missing, refuse_untold, renamed, spread
from .patterns import pattern_size
from .products import matmul_f32
from .results import (
    argsort_total_order,
    causal,
    index_mask,
    one_hot_binary,
    sort_total_order,
    to_additive,
    topk_total_order,
)
from .signatures import AxisSpec, Parameter, Signature

__version__ = "0.1.0"

__all__ = [
    "MISSING",
    "AxisSpec",
    "DeviceError",
    "DomainError",
    "Parameter",
    "ShapeError",
    "Signature",
    "argsort_total_order",
    "as_tensor",
    "causal",
    "check_additive",
    "check_binary",
    "check_host",
    "check_index",
    "check_mask",
    "check_prob",
    "check_range",
    "check_shape",
    "declare",
    "device",
    "devices",
    "index_mask",
    "matmul_f32",
    "nn",
    "one_hot_binary",
    "pattern_size",
    "refuse_arguments",
    "refuse_missing",
    "refuse_untold",
    "renamed",
    "solve_axis",
    "sort_total_order",
    "spread",
    "to_additive",
    "topk_total_order",
]
