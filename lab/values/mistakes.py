"""The mistakes: of each network what sorts there are, and where each shows first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NETWORKS = ("attention", "scan", "graph", "denoiser", "experts", "translate", "windows")
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
    "denoiser": {
        "scalar": """gn_eps gn_groups longest_wave attn_scale softmax_axis snr_bound second_beta
            warm_up ema_decay scale_around_zero""",
        "wiring": """swap_scale swap_qk value_of_key weights_transposed cos_first skip_first
            skip_early shortcut_late time_before guess_image ema_early""",
        "missing": """no_time_silu no_second_norm no_time no_bias no_shortcut detach_weights
            detach_skip no_attn_residual no_kind no_root no_weight pad_round bilinear floor sum
            mean_of_places""",
        "weight": "conv_other gain_other time_bias kept_other noise_other kind_row ema_start",
    },
    "experts": {
        "scalar": """rms_eps rope_base from_one window scale softmax_axis room z_weight cap
            uneven_weight clip_norm decay adam_eps schedule""",
        "wiring": """gain_of_query rope_halves repeated heads_not_last order_by_word first_for_both
            share_of_all swap_gate residual_of_norm not_shifted untied decay_of_gains""",
        "missing": """no_key_norm key_not_turned value_turned all_seen early_cast no_share
            detach_best detach_mean no_silu no_shared no_residual no_embed_scale no_last_norm no_cap
            all_guessed no_uneven no_divide zero_inside no_clip""",
        "weight": "router_other swapped_experts gain_other embed_row shared_bias",
    },
    "translate": {
        "scalar": """bn_momentum bn_eps bn_eval ln_eps residual_half smoothing softmax_axis momentum
            decay no_nesterov schedule clip_value""",
        "wiring": """swap_gates keep_new back_first mean_for_end fed_wanted state_before mask_turned
            not_turned padding_counts""",
        "missing": """no_bias no_reset reset_all no_tanh not_frozen detach_state no_fit_tanh
            temperature no_mask detach_weights valid_not_turned not_turned_back no_bn no_start_word
            detach_seen no_ln no_residual sum no_clip no_zero_grad""",
        "weight": "recur_other embed_row written_row bn_statistics word_other start_other",
    },
    "windows": {
        "scalar": """sharp_bound shift_one mask_number softmax_axis response_axis mean_axis
            gelu_tanh ln_eps pool_bound smoothing temperature teacher_weight clip_part betas_swapped
            decay rate average_share share""",
        "wiring": """swap_qk table_turned shifted_on not_joined heads_not_last gate_of_wide
            other_scale residual_of_norm targets_not_mixed teacher_turned mean_first
            average_early""",
        "missing": """key_not_normed detach_sharp not_sharp early_cast no_table not_shifted
            not_shifted_back no_mask dropout response_only no_gelu not_competed no_gate_relu
            detach_gate no_gate pad_mirrored no_conv_bias no_scale no_residual no_second_norm
            pool_largest no_root no_enter_norm norm_left_out sum mean_of_all no_square
            clip_by_largest no_sign decay_of_gains no_clip""",
        "weight": """conv_other table_other qkv_other ln_other gain_other excite_other scale_swapped
            enter_other head_bias image_other mean_other""",
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
    "denoiser": {
        "gn_fiftieth": Tampering("native_group_norm|rsqrt", 1, "fiftieth"),
        "silu_f8": Tampering("silu|sigmoid", 1, "e4m3"),
        "conv_bf16": Tampering("convolution|_convolution|mkldnn.*", 1, "bfloat16"),
        "scores_element": Tampering("bmm", 0, "element"),
        "upsampled_part": Tampering("upsample_nearest2d|_unsafe_index|index", 0, "part"),
        "conv_grad_scale": Tampering("convolution_backward", 5, "fiftieth", True, 1),
        "gn_grad_scale": Tampering("native_group_norm_backward", 1, "fiftieth", True),
        "bmm_grad_column": Tampering("bmm", 1, "column", True),
    },
    "experts": {
        "sdpa_row": Tampering("_scaled_dot_product.*|bmm", 1, "row"),
        "topk_element": Tampering("topk", 1, "element"),
        "lse_scaled": Tampering("logsumexp|log", 1, "fiftieth"),
        "sent_part": Tampering("bmm|mm", 1, "part"),
        "bmm_e5m2": Tampering("bmm", 1, "e5m2"),
        "rms_fiftieth": Tampering("_fused_rms_norm|rsqrt", 1, "fiftieth"),
        "norm_short": Tampering("linalg_vector_norm", 0, "short"),
        "moment_part": Tampering("addcdiv_?", 5, "part"),
        "embed_grad_column": Tampering("embedding_dense_backward", 0, "column", True),
        "sdpa_grad_scale": Tampering("_scaled_dot_product.*", 1, "fiftieth", True, 1),
        "mm_grad_column": Tampering("mm", 9, "column", True),
        "bmm_grad_swap": Tampering("bmm", 7, "swap", True),
    },
    "translate": {
        "mm_bf16": Tampering("addmm", 8, "bfloat16"),
        "sigmoid_f8": Tampering("sigmoid", 8, "e4m3"),
        "bn_fiftieth": Tampering(_BATCH_NORM, 0, "fiftieth"),
        "softmax_part": Tampering("_softmax|div", 2, "part"),
        "log_softmax_element": Tampering("_log_softmax|sub", 0, "element"),
        "tanh_grad_part": Tampering("tanh_backward", 3, "part", True),
        "sigmoid_grad_scale": Tampering("sigmoid_backward", 4, "fiftieth", True),
        "mm_grad_column": Tampering("mm", 11, "column", True),
        "ln_grad_scale": Tampering("native_layer_norm_backward", 1, "fiftieth", True),
        "embed_grad_column": Tampering("embedding_dense_backward", 1, "column", True),
    },
    "windows": {
        "conv_bf16": Tampering("convolution|_convolution|mkldnn.*", 1, "bfloat16"),
        "ln_fiftieth": Tampering(_LAYER_NORM, 1, "fiftieth"),
        "qkv_part": Tampering("addmm|mm", 1, "part"),
        "scores_element": Tampering("bmm", 1, "element"),
        "softmax_part": Tampering("_softmax|div", 1, "part"),
        "gelu_f8": Tampering("gelu|erf", 1, "e4m3"),
        "pooled_short": Tampering("mean|sum", 1, "short"),
        "pow_scaled": Tampering("pow", 0, "fiftieth"),
        "norm_short": Tampering("linalg_vector_norm", 30, "short"),
        "average_part": Tampering("lerp_?", 20, "part"),
        "conv_grad_scale": Tampering("convolution_backward", 1, "fiftieth", True, 1),
        "ln_grad_scale": Tampering("native_layer_norm_backward", 2, "fiftieth", True),
        "bmm_grad_column": Tampering("bmm", 5, "column", True),
        "mm_grad_swap": Tampering("mm", 9, "swap", True),
        "gelu_grad_part": Tampering("gelu_backward", 1, "part", True),
        "index_grad_scale": Tampering("index_put_?|_index_put_impl_", 1, "fiftieth", True),
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
