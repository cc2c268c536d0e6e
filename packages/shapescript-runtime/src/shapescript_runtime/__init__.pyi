"""What generated Python calls: checks, devices, tensor routines and training, on top of torch alone.

Generated modules import it as `_ss_rt`. `checks` says what their argument checks look like.
"""

# The types of `__init__.py`, which loads each of these when it is first asked for.

from . import nn
from .assertions import check_host, check_shape
from .batches import Batch, DataField, as_batch
from .checkpoints import load, save
from .checks import refuse_arguments, solve_axis
from .datasets import Batches, Dataset, MapStyleDataset, as_dataset, batched, shuffled
from .declared import declare, device, devices
from .differentiation import gradient, released, tracked
from .domains import check_additive, check_binary, check_index, check_mask, check_prob, check_range
from .errors import DeviceError, DomainError, KindError, OutdatedRuntimeError, ShapeError
from .gradients import Grad, check_grad, clip_norm, grad_norm, value_and_grad
from .initializers import Initializer, full, normal, ones, uniform, zeros
from .logs import LogRecord, Logs, Metric, check_logs, check_sink, flush_sink, write_record
from .mapping import vmap
from .models import Field, Model, check_model, set_field
from .modes import Eval, Mode, Sample, Train, check_mode
from .modules import import_ss
from .optimizers import SGD, AdamW, Optimizer, adamw, check_optimizer, sgd
from .parameters import MISSING, as_tensor, refuse_missing, refuse_untold, renamed, spread
from .patterns import pattern_size
from .printing import print_values
from .products import matmul_f32
from .progress import show_progress
from .randomness import batch_norm, draw_normal, draw_uniform, dropout
from .results import (
    argsort_total_order,
    as_float,
    causal,
    index_mask,
    one_hot_binary,
    sort_total_order,
    to_additive,
    topk_total_order,
)
from .scans import linear_scan, matrix_scan, table_scan
from .schedules import Schedule, check_schedule, cosine, warmup
from .signatures import AxisSpec, Parameter, Signature
from .updates import update
from .versions import generic, overloads
from .workers import loader_workers

__version__: str

__all__ = [
    "MISSING",
    "SGD",
    "AdamW",
    "AxisSpec",
    "Batch",
    "Batches",
    "DataField",
    "Dataset",
    "DeviceError",
    "DomainError",
    "Eval",
    "Field",
    "Grad",
    "Initializer",
    "KindError",
    "LogRecord",
    "Logs",
    "MapStyleDataset",
    "Metric",
    "Mode",
    "Model",
    "Optimizer",
    "OutdatedRuntimeError",
    "Parameter",
    "Sample",
    "Schedule",
    "ShapeError",
    "Signature",
    "Train",
    "adamw",
    "argsort_total_order",
    "as_batch",
    "as_dataset",
    "as_float",
    "as_tensor",
    "batch_norm",
    "batched",
    "causal",
    "check_additive",
    "check_binary",
    "check_grad",
    "check_host",
    "check_index",
    "check_logs",
    "check_mask",
    "check_mode",
    "check_model",
    "check_optimizer",
    "check_prob",
    "check_range",
    "check_schedule",
    "check_shape",
    "check_sink",
    "clip_norm",
    "cosine",
    "declare",
    "device",
    "devices",
    "draw_normal",
    "draw_uniform",
    "dropout",
    "flush_sink",
    "full",
    "generic",
    "grad_norm",
    "gradient",
    "import_ss",
    "index_mask",
    "linear_scan",
    "load",
    "loader_workers",
    "matmul_f32",
    "matrix_scan",
    "nn",
    "normal",
    "one_hot_binary",
    "ones",
    "overloads",
    "pattern_size",
    "print_values",
    "refuse_arguments",
    "refuse_missing",
    "refuse_untold",
    "released",
    "renamed",
    "save",
    "set_field",
    "sgd",
    "show_progress",
    "shuffled",
    "solve_axis",
    "sort_total_order",
    "spread",
    "table_scan",
    "to_additive",
    "topk_total_order",
    "tracked",
    "uniform",
    "update",
    "value_and_grad",
    "vmap",
    "warmup",
    "write_record",
    "zeros",
]
