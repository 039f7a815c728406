"""The mistakes: of each network what sorts there are, and where each shows first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NETWORKS = ("attention", "scan", "graph")
WRONG_LAYER = 1
"""Of three."""

SORTS = {
    "attention": {
        "scalar": """norm_eps norm_power norm_axis rope_base scores_scale mask_shift mask_number
            softmax_axis gelu_tanh residual_scale label_smoothing learning_rate""",
        "wiring": """key_of_query value_of_key query_for_key rotate_sign residual_of_norm
            targets_not_shifted""",
        "missing": """norm_without_gain key_not_rotated scores_not_scaled no_mask no_activation
            no_residual second_norm_left_out last_norm_left_out""",
        "weight": """gain_other query_other key_other value_other merge_bias widen_other
            embedding_other""",
    },
    "scan": {
        "scalar": """ln_eps softplus_beta residual_alpha conv_dilation gn_groups smoothing z_weight
            rms_alpha rms_lr""",
        "wiring": """swap_uz swap_bc stale_state residual_of_norm skip_before_conv gate_of_u
            noncausal wrong_target dt_of_other""",
        "missing": """no_silu no_skip no_gate no_group_norm detach_state extra_clamp no_residual
            no_softplus extra_round euler_dt extra_dropout""",
        "weight": """a_log_other conv_flipped dt_bias_other out_scaled skip_other ln_gain_other
            input_other initial_state""",
    },
    "graph": {
        "scalar": """bn_eps bn_momentum slope half_std kl_weight huber_beta clip_norm betas decay
            score_scale bn_eval se_axis""",
        "wiring": """swap_ends swap_qk den_by_src agg_by_src se_wrong_graph residual_of_norm
            gate_of_se edge_of_old kl_of_noise targets_rolled""",
        "missing": """no_scale no_se no_gate no_bn no_residual no_edge_update detach_alpha
            extra_relu no_logvar_clamp extra_noise no_clip""",
        "weight": """q_other wg_bias bn_gain count_other eps_other embed_row edge_input
            pos_weight we_flipped""",
    },
}


@dataclass(frozen=True, slots=True)
class Tampering:
    """A kernel that computes something else."""

    op: str
    """A pattern: compiled runs have other ops."""
    turn: int
    """Which of them, from 0: of all, or of those that the marked lines call in forward."""
    how: str
    """See ``HOW`` in runs.py."""
    backward: bool = False
    """Of those of backward."""
    output: int = 0


_LAYER_NORM = "native_layer_norm|rsqrt"
_BATCH_NORM = "native_batch_norm|_native_batch_norm_legit.*|_batch_norm_with_update.*|rsqrt"
TAMPERINGS = {
    "attention": {
        "mm_scaled": Tampering("mm", 5, "scale"),
        "bmm_rounded": Tampering("bmm", 2, "e5m2"),
        "softmax_row": Tampering("_softmax", 1, "row"),
        "gelu_scaled": Tampering("gelu", 1, "scale"),
        "rsqrt_rounded": Tampering("rsqrt", 3, "e5m2"),
        "copy_row": Tampering("clone", 4, "row"),
        "softmax_backward_scaled": Tampering("_softmax_backward_data", 1, "scale"),
        "gelu_backward_row": Tampering("gelu_backward", 1, "row"),
        "mm_backward_scaled": Tampering("mm", 30, "scale"),
        "sum_rounded": Tampering("sum", 6, "e5m2"),
    },
    "scan": {
        "conv_bf16": Tampering("convolution", 1, "bfloat16"),
        "exp_element": Tampering("exp", 1, "element"),
        "in_row": Tampering("addmm|mm", 1, "part"),
        "state_row": Tampering("add|add_|addcmul", 9, "part"),
        "dot_short": Tampering("sum", 9, "short"),
        "ln_scale": Tampering(_LAYER_NORM, 1, "fiftieth"),
        "silu_f8": Tampering("silu|sigmoid", 1, "e4m3"),
        "lse_element": Tampering("logsumexp", 0, "element"),
        "softplus_swap": Tampering("softplus|where", 1, "swap"),
        "conv_grad_scale": Tampering("convolution_backward", 1, "fiftieth", True, 1),
        "silu_grad_row": Tampering("silu_backward", 3, "part", True),
        "add_grad_column": Tampering("mm", 10, "column", True),
    },
    "graph": {
        "index_add_lost": Tampering("index_add_?|index_put_?|scatter_add_?", 1, "lost"),
        "gather_row": Tampering("index|index_select", 2, "part"),
        "bn_scale": Tampering(_BATCH_NORM, 1, "fiftieth"),
        "amax_element": Tampering("scatter_reduce_?", 1, "element"),
        "sigmoid_f8": Tampering("sigmoid", 1, "e4m3"),
        "bmm_bf16": Tampering("addmm", 1, "bfloat16"),
        "exp_short": Tampering("exp", 1, "short"),
        "leaky_column": Tampering("leaky_relu|where", 1, "column"),
        "div_swap": Tampering("div", 1, "swap"),
        "index_grad_row": Tampering(
            "index_put_?|index_add_?|_index_put_impl_", 4, "fiftieth", True
        ),
        "bn_grad_scale": Tampering("native_batch_norm_backward", 1, "fiftieth", True),
        "mm_grad_element": Tampering("mm", 20, "element", True),
    },
}
"""Where a compiled run has no such op, nothing is recorded."""

BY_SORT = {
    network: {sort: names.split() for sort, names in SORTS[network].items()}
    | {"kernel": list(TAMPERINGS[network])}
    for network in NETWORKS
}
_MARK = re.compile(r"@(@?\w+)")


class Mistakes:
    """The one mistake of a run, if any."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def on(self, name: str, layer: int = WRONG_LAYER) -> bool:
        """Whether this mistake is made, in this layer."""
        return self.name == name and layer == WRONG_LAYER


def source_of(network: str) -> Path:
    """The module with the network."""
    return Path(__file__).parent / "networks" / f"{network}.py"


def places_of(network: str, name: str) -> dict[str, list[int]]:
    """The lines of the network on which a mistake shows first.

    ``calls``: lines whose calls, with all within them, it leaves out; ``elsewhere``: lines within
    whose calls it is not made. Tampered kernels have none: the record is known.
    """
    lines = lines_of(network, name)
    if name in TAMPERINGS[network]:
        lines = []
    elif not lines:
        raise ValueError(f"no line of {network} is marked with @{name}")
    calls, elsewhere = lines_of(network, f"@{name}"), lines_of(network, "elsewhere")
    return {"lines": lines, "calls": calls, "elsewhere": elsewhere}


def lines_of(network: str, mark: str) -> list[int]:
    """The lines with this mark."""
    return [number for number, marks in _marked(network) if mark in marks]


@cache
def _marked(network: str) -> list[tuple[int, list[str]]]:
    lines = source_of(network).read_text(encoding="utf-8").splitlines()
    return [
        (number, _MARK.findall(line.partition("  # ")[2])) for number, line in enumerate(lines, 1)
    ]
