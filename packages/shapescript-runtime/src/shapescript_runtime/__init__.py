"""What generated Python calls: checks, devices, tensor routines and training, on top of torch alone.

Generated modules import it as `_ss_rt`. `checks` says what their argument checks look like.

Importing it loads nothing but this file, whose import is part of every import of a compiled module; each name is
loaded when it is first used. `__init__.pyi` has the same names for type checkers, and for standalone builds.
"""

from __future__ import annotations

__version__ = "0.1.0"

_HOMES = {
    name: module
    for module, names in {
        "assertions": "check_host check_shape",
        "batches": "Batch DataField as_batch",
        "checkpoints": "load save",
        "checks": "refuse_arguments solve_axis",
        "datasets": "Batches Dataset MapStyleDataset as_dataset batched shuffled",
        "declared": "declare device devices",
        "differentiation": "gradient released tracked",
        "domains": "check_additive check_binary check_index check_mask check_prob check_range",
        "errors": "DeviceError DomainError KindError OutdatedRuntimeError ShapeError",
        "gradients": "Grad check_grad clip_norm grad_norm value_and_grad",
        "initializers": "Initializer full normal ones uniform zeros",
        "logs": "LogRecord Logs Metric check_logs check_sink flush_sink write_record",
        "mapping": "vmap",
        "models": "Field Model check_model set_field",
        "modes": "Eval Mode Sample Train check_mode",
        "modules": "import_ss",
        "optimizers": "SGD AdamW Optimizer adamw check_optimizer sgd",
        "parameters": "MISSING as_tensor refuse_missing refuse_untold renamed spread",
        "patterns": "pattern_size",
        "printing": "print_values",
        "products": "matmul_f32",
        "progress": "show_progress",
        "randomness": "batch_norm draw_normal draw_uniform dropout",
        "results": "argsort_total_order as_float causal index_mask one_hot_binary sort_total_order "
        "to_additive topk_total_order",
        "scans": "linear_scan matrix_scan table_scan",
        "schedules": "Schedule check_schedule cosine warmup",
        "signatures": "AxisSpec Parameter Signature",
        "updates": "update",
        "versions": "generic overloads",
        "workers": "loader_workers",
    }.items()
    for name in names.split()
}

__all__ = ["nn", *_HOMES]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "nn":
        return import_module(".nn", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
