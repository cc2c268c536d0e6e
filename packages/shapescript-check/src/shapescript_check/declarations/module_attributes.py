"""The public attributes of torch.nn.Module, which no field of a model can be named after.

Listed here since checking never imports torch; a test holds the list against torch's own.
"""

from __future__ import annotations

_NAMES = """
    T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double
    dump_patches eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule
    half ipu load_state_dict modules mtia named_buffers named_children named_modules named_parameters
    parameters register_backward_hook register_buffer register_forward_hook register_forward_pre_hook
    register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_module register_parameter register_state_dict_post_hook
    register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory state_dict to
    to_empty train training type xpu zero_grad
"""
_ATTRIBUTES = frozenset(_NAMES.split())


def is_module_attribute(name: str) -> bool:
    """Whether torch.nn.Module has an attribute of this name."""
    return name in _ATTRIBUTES
