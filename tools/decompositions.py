"""Write down what PyTorch's decompositions expand ops into, from a real PyTorch.

    .venv-torch/bin/python tools/decompositions.py > src/opdiff/data/decompositions.yaml

Each op is traced with small sample inputs under the decompositions that compiled graphs use. What
comes out is a list of facts: which ops do the work of which.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import torch
from torch._decomp import core_aten_decompositions, get_decompositions
from torch._inductor.decomposition import decompositions as inductor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional

aten = torch.ops.aten
x, y, z = torch.randn(4, 6), torch.randn(4, 6), torch.randn(4, 6)
w, b = torch.randn(6, 6), torch.randn(6)
image = torch.randn(2, 4, 5, 5)
index = torch.tensor([0, 2, 1, 3])
mask = x > 0
mean, rstd = torch.randn(4, 1), torch.rand(4, 1)
ones4 = torch.ones(4)

SAMPLES: dict[str, list[Callable[[], object]]] = {
    "_softmax": [lambda: aten._softmax(x, 1, False)],
    "_softmax_backward_data": [lambda: aten._softmax_backward_data(x, y, 1, torch.float32)],
    "_log_softmax": [lambda: aten._log_softmax(x, 1, False)],
    "_log_softmax_backward_data": [lambda: aten._log_softmax_backward_data(x, y, 1, torch.float32)],
    "silu": [lambda: aten.silu(x)],
    "silu_backward": [lambda: aten.silu_backward(x, y)],
    "gelu": [lambda: aten.gelu(x), lambda: aten.gelu(x, approximate="tanh")],
    "gelu_backward": [
        lambda: aten.gelu_backward(x, y),
        lambda: aten.gelu_backward(x, y, approximate="tanh"),
    ],
    "mish": [lambda: aten.mish(x)],
    "mish_backward": [lambda: aten.mish_backward(x, y)],
    "elu": [lambda: aten.elu(x)],
    "elu_backward": [lambda: aten.elu_backward(x, 1, 1, 1, False, y)],
    "leaky_relu": [lambda: aten.leaky_relu(x)],
    "leaky_relu_backward": [lambda: aten.leaky_relu_backward(x, y, 0.01, False)],
    "hardtanh": [lambda: aten.hardtanh(x)],
    "hardtanh_backward": [lambda: aten.hardtanh_backward(x, y, -1, 1)],
    "hardswish": [lambda: aten.hardswish(x)],
    "hardswish_backward": [lambda: aten.hardswish_backward(x, y)],
    "hardsigmoid": [lambda: aten.hardsigmoid(x)],
    "hardsigmoid_backward": [lambda: aten.hardsigmoid_backward(x, y)],
    "softplus": [lambda: aten.softplus(x)],
    "softplus_backward": [lambda: aten.softplus_backward(x, y, 1, 20)],
    "log_sigmoid_forward": [lambda: aten.log_sigmoid_forward(x)],
    "log_sigmoid_backward": [lambda: aten.log_sigmoid_backward(x, y, z)],
    "threshold_backward": [lambda: aten.threshold_backward(x, y, 0)],
    "tanh_backward": [lambda: aten.tanh_backward(x, y)],
    "sigmoid_backward": [lambda: aten.sigmoid_backward(x, y)],
    "glu": [lambda: aten.glu(x, 1)],
    "glu_backward": [lambda: aten.glu_backward(x[:, :3], y, 1)],
    "native_layer_norm": [
        lambda: aten.native_layer_norm(x, [6], b, b, 1e-5),
        lambda: aten.native_layer_norm(x, [6], None, None, 1e-5),
    ],
    "native_layer_norm_backward": [
        lambda: aten.native_layer_norm_backward(x, y, [6], mean, rstd, b, b, [True, True, True])
    ],
    "native_group_norm": [lambda: aten.native_group_norm(image, ones4, ones4, 2, 4, 25, 2, 1e-5)],
    "native_group_norm_backward": [
        lambda: aten.native_group_norm_backward(
            image,
            image,
            mean[:2].expand(2, 2),
            rstd[:2].expand(2, 2),
            ones4,
            2,
            4,
            25,
            2,
            [True, True, True],
        )
    ],
    "native_batch_norm": [
        lambda: aten.native_batch_norm(
            image, ones4, ones4, ones4.clone(), ones4.clone(), True, 0.1, 1e-5
        ),
        lambda: aten.native_batch_norm(
            image, ones4, ones4, ones4.clone(), ones4.clone(), False, 0.1, 1e-5
        ),
    ],
    "_native_batch_norm_legit_functional": [
        lambda: aten._native_batch_norm_legit_functional(
            image, ones4, ones4, ones4.clone(), ones4.clone(), True, 0.1, 1e-5
        )
    ],
    "native_batch_norm_backward": [
        lambda: aten.native_batch_norm_backward(
            image, image, ones4, ones4, ones4, ones4, ones4, True, 1e-5, [True, True, True]
        )
    ],
    "rms_norm": [lambda: functional.rms_norm(x, [6], b)],
    "_fused_rms_norm": [lambda: aten._fused_rms_norm(x, [6], b, 1e-5)],
    "_fused_rms_norm_backward": [
        lambda: aten._fused_rms_norm_backward(x, y, [6], rstd, b, [True, True])
    ],
    "addmm": [lambda: aten.addmm(b, x, w), lambda: aten.addmm(b, x, w, beta=0.5, alpha=2)],
    "addmv": [lambda: aten.addmv(ones4, x, b)],
    "addbmm": [lambda: aten.addbmm(torch.randn(5, 5), image[0], image[1])],
    "baddbmm": [lambda: aten.baddbmm(image[0], image[0], image[1])],
    "linear": [lambda: aten.linear(x, w, b), lambda: aten.linear(x, w)],
    "matmul": [lambda: aten.matmul(image, image), lambda: aten.matmul(x, w)],
    "embedding": [lambda: aten.embedding(w, index)],
    "embedding_dense_backward": [lambda: aten.embedding_dense_backward(x, index, 6, -1, False)],
    "nll_loss_forward": [lambda: aten.nll_loss_forward(x, index, None, 1, -100)],
    "nll_loss_backward": [
        lambda: aten.nll_loss_backward(
            torch.tensor(1.0), x, index, None, 1, -100, torch.tensor(4.0)
        )
    ],
    "cross_entropy_loss": [lambda: functional.cross_entropy(x, index)],
    "mse_loss": [lambda: aten.mse_loss(x, y)],
    "mse_loss_backward": [lambda: aten.mse_loss_backward(torch.tensor(1.0), x, y, 1)],
    "l1_loss": [lambda: functional.l1_loss(x, y)],
    "smooth_l1_loss": [lambda: aten.smooth_l1_loss(x, y)],
    "smooth_l1_loss_backward": [
        lambda: aten.smooth_l1_loss_backward(torch.tensor(1.0), x, y, 1, 1.0)
    ],
    "huber_loss": [lambda: aten.huber_loss(x, y)],
    "huber_loss_backward": [lambda: aten.huber_loss_backward(torch.tensor(1.0), x, y, 1, 1.0)],
    "binary_cross_entropy": [lambda: aten.binary_cross_entropy(torch.rand(4), ones4)],
    "binary_cross_entropy_backward": [
        lambda: aten.binary_cross_entropy_backward(torch.tensor(1.0), torch.rand(4), ones4)
    ],
    "binary_cross_entropy_with_logits": [
        lambda: aten.binary_cross_entropy_with_logits(x, y),
        lambda: aten.binary_cross_entropy_with_logits(x, y, None, b),
    ],
    "kl_div": [lambda: functional.kl_div(x, y, reduction="batchmean")],
    "native_dropout": [lambda: aten.native_dropout(x, 0.5, True)],
    "native_dropout_backward": [lambda: aten.native_dropout_backward(x, mask, 2.0)],
    "masked_fill": [lambda: aten.masked_fill(x, mask, 0.0)],
    "_to_copy": [lambda: aten._to_copy(x, dtype=torch.bfloat16)],
    "rsub": [lambda: aten.rsub(x, 1.0)],
    "addcmul": [lambda: aten.addcmul(x, y, z), lambda: aten.addcmul(x, y, z, value=0.5)],
    "addcdiv": [lambda: aten.addcdiv(x, y, z), lambda: aten.addcdiv(x, y, z, value=0.5)],
    "lerp": [lambda: aten.lerp(x, y, 0.5), lambda: aten.lerp(x, y, 0.1)],
    "std": [lambda: aten.std(x, [1])],
    "var": [lambda: aten.var(x, [1])],
    "var_mean": [lambda: aten.var_mean(x, [1])],
    "std_mean": [lambda: aten.std_mean(x, [1])],
    "mean": [lambda: aten.mean(x, [1]), lambda: aten.mean(x)],
    "linalg_vector_norm": [lambda: aten.linalg_vector_norm(x, 2)],
    "logsumexp": [lambda: aten.logsumexp(x, [1])],
    "cumsum": [lambda: aten.cumsum(x, 1)],
    "select_backward": [lambda: aten.select_backward(x[:, 0], [4, 6], 1, 0)],
    "slice_backward": [lambda: aten.slice_backward(x[:, :3], [4, 6], 1, 0, 3, 1)],
    "index_add": [lambda: aten.index_add(x, 0, index, y)],
    "index_copy": [lambda: aten.index_copy(x, 0, index, y)],
    "index_fill": [lambda: aten.index_fill(x, 0, index, 1.0)],
    "index_select": [lambda: aten.index_select(x, 0, index)],
    "arange": [lambda: aten.arange(6), lambda: torch.arange(0, 6, dtype=torch.float32)],
    "triu": [lambda: aten.triu(x), lambda: aten.triu(mask)],
    "tril": [lambda: aten.tril(x), lambda: aten.tril(mask)],
    "ones": [lambda: aten.ones([4])],
    "zeros": [lambda: aten.zeros([4])],
    "ones_like": [lambda: aten.ones_like(x)],
    "zeros_like": [lambda: aten.zeros_like(x)],
    "new_zeros": [lambda: aten.new_zeros(x, [3])],
    "new_ones": [lambda: aten.new_ones(x, [3])],
    "full_like": [lambda: aten.full_like(x, 2.0)],
    "cat": [lambda: aten.cat([x, x], 1), lambda: aten.cat([x, y], 1)],
    "stack": [lambda: aten.stack([x, y])],
    "repeat": [lambda: aten.repeat(x, [2, 1])],
    "t": [lambda: aten.t(x)],
    "transpose": [lambda: aten.transpose(x, 0, 1)],
    "unsafe_split": [lambda: aten.unsafe_split(x, 2, 1)],
    "split": [lambda: aten.split(x, 2, 1)],
    "clamp": [lambda: aten.clamp(x, -1.0, 1.0)],
    "clamp_min": [lambda: aten.clamp_min(x, 0.0)],
    "clamp_max": [lambda: aten.clamp_max(x, 0.0)],
    "pow": [lambda: aten.pow(x, 2), lambda: aten.pow(x, 3), lambda: aten.pow(x, 0.5)],
    "square": [lambda: aten.square(x)],
    "reciprocal": [lambda: aten.reciprocal(x)],
    "rsqrt": [lambda: aten.rsqrt(x)],
    "norm": [lambda: aten.norm(x, 2)],
    "dot": [lambda: aten.dot(b, b)],
    "mv": [lambda: aten.mv(x, b)],
    "outer": [lambda: torch.outer(b, b)],
    "avg_pool2d": [lambda: aten.avg_pool2d(image, [2, 2])],
    "max_pool2d_with_indices": [lambda: aten.max_pool2d_with_indices(image, [2, 2])],
    "max_pool2d_with_indices_backward": [],
    "upsample_nearest2d": [lambda: aten.upsample_nearest2d(image, [10, 10])],
    "upsample_bilinear2d": [lambda: aten.upsample_bilinear2d(image, [10, 10], False)],
    "constant_pad_nd": [lambda: aten.constant_pad_nd(x, [1, 1])],
    "reflection_pad2d": [lambda: aten.reflection_pad2d(image, [1, 1, 1, 1])],
    "roll": [lambda: aten.roll(x, 1, 0)],
    "eye": [lambda: aten.eye(4)],
    "expm1": [lambda: aten.expm1(x)],
    "log1p": [lambda: aten.log1p(x)],
    "xlogy": [lambda: aten.xlogy(x, y)],
    "isnan": [lambda: aten.isnan(x)],
    "isinf": [lambda: aten.isinf(x)],
    "any": [lambda: aten.any(mask)],
    "all": [lambda: aten.all(mask)],
    "count_nonzero": [lambda: aten.count_nonzero(x)],
    "floor_divide": [lambda: aten.floor_divide(x, y)],
    "remainder": [lambda: aten.remainder(x, y)],
    "sign": [lambda: aten.sign(x)],
    "frac": [lambda: aten.frac(x)],
    "trunc": [lambda: aten.trunc(x)],
    "softmax": [lambda: functional.softmax(x, 1)],
    "log_softmax": [lambda: functional.log_softmax(x, 1)],
    "scaled_dot_product_attention": [
        lambda: functional.scaled_dot_product_attention(image, image, image),
        lambda: functional.scaled_dot_product_attention(image, image, image, is_causal=True),
    ],
    "_scaled_dot_product_flash_attention_for_cpu": [
        lambda: aten._scaled_dot_product_flash_attention_for_cpu(image, image, image)
    ],
    "_foreach_norm": [],
    "embedding_renorm_": [],
    "bernoulli": [],
    "unfold_backward": [lambda: aten.unfold_backward(torch.randn(4, 2, 3), [4, 6], 1, 3, 3)],
    "diagonal_backward": [lambda: aten.diagonal_backward(torch.randn(4), [4, 6], 0, 0, 1)],
    "im2col": [lambda: aten.im2col(image, [2, 2], [1, 1], [0, 0], [1, 1])],
    "pixel_shuffle": [lambda: aten.pixel_shuffle(image, 2)],
    "channel_shuffle": [lambda: aten.channel_shuffle(image, 2)],
    "_adaptive_avg_pool2d": [lambda: aten._adaptive_avg_pool2d(image, [1, 1])],
    "_adaptive_avg_pool2d_backward": [
        lambda: aten._adaptive_avg_pool2d_backward(torch.randn(2, 4, 1, 1), image)
    ],
    "prelu": [lambda: functional.prelu(x, torch.tensor([0.1]))],
    "_prelu_kernel": [lambda: aten._prelu_kernel(x, torch.full((1, 1), 0.1))],
    "celu": [lambda: functional.celu(x)],
    "selu": [lambda: functional.selu(x)],
    "relu6": [lambda: functional.relu6(x)],
    "logit": [lambda: aten.logit(torch.rand(4))],
    "sigmoid": [lambda: aten.sigmoid(x)],
    "tanh": [lambda: aten.tanh(x)],
    "bmm": [lambda: aten.bmm(image[0], image[1])],
    "mm": [lambda: aten.mm(x, w)],
}


def expansions(trace: Callable[[], object]) -> Iterator[tuple[str, ...]]:
    """What a sample expands into, under each table of decompositions."""
    prims = get_decompositions([getattr(aten, name) for name in dir(aten) if hasattr(aten, name)])
    for table in (core_aten_decompositions(), inductor, prims):
        try:
            graph = make_fx(trace, decomposition_table=table)().graph
        except Exception as error:  # a sample that this PyTorch does not take
            print(
                f"# {error.__class__.__name__}: {str(error).splitlines()[0][:90]}", file=sys.stderr
            )
            continue
        names = []
        for node in graph.nodes:
            target = str(node.target)
            if node.op == "call_function" and target.startswith(("aten.", "prims.")):
                space, name = target.split(".")[:2]
                if name not in ("detach", "alias", "lift_fresh_copy", "lift_fresh"):
                    names.append(f"{space}::{name}")
        yield tuple(names)


def main() -> None:
    """Print the facts as YAML."""
    print("# What PyTorch's decompositions expand ops into; written by tools/decompositions.py.")
    print(f"# From PyTorch {torch.__version__.split('+')[0]}.")
    for name, samples in SAMPLES.items():
        found = dict.fromkeys(lot for sample in samples for lot in expansions(sample))
        for lot in found:
            if lot and lot != (f"aten::{name}",):
                print(f'- {{one: "aten::{name}", many: {list(lot)}}}'.replace("'", '"'))


if __name__ == "__main__":
    main()
