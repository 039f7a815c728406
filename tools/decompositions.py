"""Write down what PyTorch's decompositions expand ops into, from a real PyTorch.

    .venv-torch/bin/python -m pip install --target out/op-samples expecttest
    PYTHONPATH=out/op-samples .venv-torch/bin/python tools/decompositions.py \
        > src/opdiff/data/idioms/pytorch.txt

PyTorch's own samples of every op are run forward and backward; each op that was dispatched is
traced by itself under the decompositions that compiled graphs use. What comes out are facts: which
ops do the work of which, and what each of them reads. How to read a line: docs/engine.md.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial, reduce
from itertools import islice, product
from typing import Any

import torch
from torch._decomp import core_aten_decompositions, get_decompositions
from torch._dispatch.python import enable_python_dispatcher
from torch._inductor.decomposition import decompositions as inductor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.functional import interpolate
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_unflatten

aten = torch.ops.aten
SAMPLES = 24
"""Of each op, how many of PyTorch's samples are run."""
LARGEST = 72
"""Ops in an expansion that is written down."""
VARIANTS = 8
"""Of each op and table, how many expansions are written down: the shortest."""
SEEN = 12
"""Calls of one op that are traced, with arguments of other kinds each."""
LEFT_OUT = re.compile(
    r"^(linalg|fft|special|signal|masked|sparse|polygamma|bessel|airy|hermite|laguerre|legendre|"
    r"chebyshev|i0|i1|igamma|lgamma|digamma|nested|complex|view_as|stft|istft|histc|geqrf|ormqr|"
    r"lu|cholesky|svd|pca|qr|eig|pinverse|ops\.nvprims|resize|rand|normal|bernoulli|multinomial)"
)
PLAIN_NUMBERS = (-1, 0, 0.5, 1, 2, 3)
"""Expansions leave out what such numbers make needless."""
BEFORE_AUTOGRAD = (
    "aten::upsample_nearest1d_backward 1 | aten::new_zeros 0 | aten::arange | aten::mul 2 | "
    "aten::_unsafe_index_put 1 3 0 -> 4",
    "aten::upsample_nearest2d_backward 1 | aten::new_zeros 0 | aten::arange | aten::mul 2 | "
    "aten::arange | aten::mul 4 | "
    "aten::_unsafe_index_put 1 3 5 0 -> 6",
    "aten::upsample_nearest3d_backward 1 | aten::new_zeros 0 | aten::arange | aten::mul 2 | "
    "aten::arange | aten::mul 4 | "
    "aten::arange | aten::mul 6 | aten::_unsafe_index_put 1 3 5 7 0 -> 8",
)
"""Ops that compiled code expands before it asks for gradients: what their gradients are then."""
INTERPOLATED = (
    (aten.upsample_linear1d, aten.upsample_linear1d_backward, "linear", (2, 3, 4)),
    (aten.upsample_bilinear2d, aten.upsample_bilinear2d_backward, "bilinear", (2, 3, 4, 4)),
)
"""Other ops that are expanded so, their gradients, and how PyTorch's function is told to do it."""
UNSEEN = ("detach", "alias", "lift_fresh_copy", "lift_fresh", "_assert_tensor_metadata")


class Calls(TorchDispatchMode):
    """Keeps some calls of every op, with arguments of different kinds."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, dict[str, tuple[Any, Any, Any]]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = func.overloadpacket.__name__
        if func.namespace == "aten" and not name.endswith("_"):
            kinds = self.seen.setdefault(name, {})
            flat, _ = tree_flatten((args, kwargs))
            kind = " ".join(_kind(value) for value in flat) + f" {len(set(map(id, flat)))}"
            if len(kinds) < SEEN and kind not in kinds:
                clones = {id(v): v.detach().clone() for v in flat if isinstance(v, torch.Tensor)}
                kept = [clones.get(id(value), value) for value in flat]
                kinds[kind] = (func, *tree_unflatten(kept, tree_flatten((args, kwargs))[1]))
        return result


def _kind(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{value.dtype}{value.dim()}"
    plain = isinstance(value, int | float) and value in PLAIN_NUMBERS
    return repr(value) if plain or isinstance(value, bool | str) else type(value).__name__


def collected() -> dict[str, dict[str, tuple[Any, Any, Any]]]:
    """Some calls of every op that PyTorch's samples lead to, forward and backward."""
    calls = Calls()
    x = torch.randn(4, 6)
    with calls:
        torch.cat([x, x], 1)  # one tensor twice expands in its own way
        x.clamp(-0.3, 0.3)  # samples clamp by tensors, programs by numbers
    for op in op_db:
        if LEFT_OUT.match(op.name):
            continue
        for dtype in (torch.float32, torch.bool, torch.int64):
            if dtype not in op.dtypes:
                continue
            try:
                gradient = dtype is torch.float32 and op.supports_autograd
                samples = islice(op.sample_inputs("cpu", dtype, requires_grad=gradient), SAMPLES)
                for sample in samples:
                    _run(op, sample, calls)
            except Exception as error:  # noqa: BLE001 # a sample that does not run here
                print(f"# {op.name}: {str(error).splitlines()[:1]}", file=sys.stderr)
    return calls.seen


def _run(op: Any, sample: Any, calls: Calls) -> None:
    with calls:
        result = op(sample.input, *sample.args, **sample.kwargs)
        flat, _ = tree_flatten(result)
        losses = [v for v in flat if isinstance(v, torch.Tensor) and v.requires_grad]
        if losses:
            torch.autograd.backward(losses, [torch.rand_like(loss) for loss in losses])


def expansion(func: Any, args: Any, kwargs: Any, table: Any) -> str | None:
    """One line: the op, how many tensors it takes, then each op with the numbers it reads."""
    flat, spec = tree_flatten((args, kwargs))
    tensors = list({id(v): v for v in flat if isinstance(v, torch.Tensor)}.values())

    def call(*given: torch.Tensor) -> Any:
        by_id = {id(tensor): each for tensor, each in zip(tensors, given, strict=True)}
        args, kwargs = tree_unflatten([by_id.get(id(value), value) for value in flat], spec)
        return func(*args, **kwargs)

    graph = make_fx(call, decomposition_table=table)(*tensors).graph
    if isinstance(func, GradientThen):
        graph.eliminate_dead_code()  # the forward
    number: dict[Any, int] = {}
    parts = []
    result = ""
    for node in graph.nodes:
        read = [number[n] for n in node.all_input_nodes_in_order if n in number]
        if node.op == "placeholder":
            number[node] = len(number)
        elif node.op == "call_function" and str(node.target).startswith(("aten.", "prims.")):
            space, name = str(node.target).split(".")[:2]
            if name in UNSEEN and read:
                number[node] = read[0]
            else:
                number[node] = len(tensors) + len(parts)
                parts.append(" ".join([f"{space}::{name}", *map(str, read)]))
        elif node.op == "call_function":  # one of several results
            number[node] = read[0]
        elif node.op == "output":
            flat_out, _ = tree_flatten(node.args[0])
            result = " ".join(str(number[n]) if n in number else "-" for n in flat_out)
    if not parts or len(parts) > LARGEST or not result.strip("- "):
        return None
    return f"aten::{func.overloadpacket.__name__} {len(tensors)} | {' | '.join(parts)} -> {result}"


def _in_order(node: torch.fx.Node) -> list[torch.fx.Node]:
    """What a node reads, as often and in the order it reads it."""
    found: list[torch.fx.Node] = []
    torch.fx.map_arg((node.args, node.kwargs), lambda n: found.append(n) or n)
    return found


torch.fx.Node.all_input_nodes_in_order = property(_in_order)  # type: ignore[attr-defined]


def lines() -> Iterator[str]:
    """All of them, op by op."""
    prims = get_decompositions([getattr(aten, name) for name in dir(aten) if hasattr(aten, name)])
    for name, calls in sorted(collected().items()):
        for table in (core_aten_decompositions(), inductor, prims):
            found: dict[str, None] = {}
            for func, args, kwargs in (*calls.values(), *map(_with_defaults, calls.values())):
                try:
                    line = expansion(func, args, kwargs, table)
                except Exception:  # noqa: BLE001, S112 # data-dependent, or not for this table
                    continue
                if line and not _has_itself(name, line):
                    found[line] = None
            yield from sorted(found, key=len)[:VARIANTS]


class BeforeAutograd:
    """What compiled code has for an op that it expands before it asks for gradients."""

    def __init__(self, op: Any, call: Callable[[torch.Tensor], torch.Tensor]) -> None:
        self.overloadpacket, self._call = op, call

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """The op itself."""
        with enable_python_dispatcher():
            return self._call(x)


class GradientThen(BeforeAutograd):
    """What the gradient of that op is then."""

    def __init__(self, op: Any, call: Callable[[torch.Tensor], torch.Tensor], shape: Any) -> None:
        super().__init__(op, call)
        self._shape = shape

    def __call__(self, gradient: torch.Tensor) -> torch.Tensor:
        """Of a linear op: what it is applied to does not matter."""
        with enable_python_dispatcher(), torch.enable_grad():
            x = torch.zeros(self._shape, requires_grad=True)
            return torch.autograd.grad(self._call(x), x, gradient)[0]


def interpolated() -> Iterator[str]:
    """What stands in compiled code for interpolation between elements, and for its gradient."""
    for op, gradient, mode, shape in INTERPOLATED:
        x = torch.randn(shape)
        for table, corners in product(({}, core_aten_decompositions(), inductor), (False, True)):
            call = partial(interpolate, scale_factor=2, mode=mode, align_corners=corners)
            for func, given in (
                (BeforeAutograd(op, call), x),
                (GradientThen(gradient, call, shape), call(x)),
            ):
                line = expansion(func, (given,), {}, table)
                if line:
                    yield line


def programs() -> Iterator[str]:
    """What calls expand into that programs make and PyTorch's samples do not."""
    x, rows = torch.randn(4, 8), torch.rand(4, 8)
    heads = [torch.randn(2, 2, 4, 4) for _ in range(3)]
    mask = {"attn_mask": torch.randn(2, 1, 4, 4)}
    loss, weights = aten.binary_cross_entropy_with_logits.default, torch.full((8,), 2.0)
    attention = aten._scaled_dot_product_flash_attention_for_cpu.default
    images, scale = torch.randn(2, 1, 3, 4, 4), torch.randn(4, 3)
    none = None, None, True  # statistics of an instance are of no use for another
    calls = (
        *((loss, (x, rows, None, weights, *reduced), {}) for reduced in ((), (0,), (2,))),
        *((attention, tuple(heads), kinds) for kinds in (mask, {**mask, "scale": 0.25})),
        (aten._weight_norm_interface.default, (x, torch.randn(4, 1)), {}),
        (aten._weight_norm_interface_backward.default, (x, x, *torch.randn(2, 4, 1)), {"dim": 0}),
        (aten.native_batch_norm.default, (images[0], *scale[:2], *none, 0.1, 1e-5), {}),
        (
            aten.native_batch_norm_backward.default,
            (*images, scale[0], None, None, *scale[2:], True, 1e-5, [True, True, True]),
            {},
        ),
        (aten.affine_grid_generator.default, (torch.randn(2, 2, 3), [2, 4, 8, 8], False), {}),
        *(
            (aten.roll.default, (x, *turned), {})
            for turned in (([1], [1]), ([1, 2], [0, 1]), [[2]])
        ),
        (aten.bmm.default, (x[:, None], x[:, :, None]), {}),
        (aten.celu.default, (x, 1.5), {}),
        (aten.lerp.Scalar, (x, rows, 0.7), {}),
    )
    for (func, args, kwargs), table in product(calls, (core_aten_decompositions(), inductor)):
        line = expansion(func, args, kwargs, table)
        if line and not _has_itself(func.overloadpacket.__name__, line):
            yield line


class Unpacked:
    """The gradient of ``a, b = x`` in compiled code, which selects where eager code unbinds.

    Eager code stacks the gradients of the parts; compiled code puts each into zeros and adds up.
    """

    def __init__(self) -> None:
        self.overloadpacket = aten.stack

    def __call__(self, *parts: torch.Tensor) -> torch.Tensor:
        """Put each part into zeros, and add up."""
        shape = (len(parts), *parts[0].shape)
        whole = [aten.select_backward(part, shape, 0, at) for at, part in enumerate(parts)]
        return reduce(torch.add, whole)


def unpacked() -> Iterator[str]:
    """What stands in compiled code for the ``stack`` of two, three or four gradients."""
    for table in (None, core_aten_decompositions(), inductor):
        for count in (2, 3, 4):
            parts = tuple(torch.randn(3, 4) for _ in range(count))
            line = expansion(Unpacked(), parts, {}, table)
            if line:
                yield line


def _with_defaults(call: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """The same call without arguments that need not be given: samples tend to give all."""
    func, args, _ = call
    needed = 0
    for place, (given, wanted) in enumerate(zip(args, func._schema.arguments, strict=False), 1):
        if isinstance(given, torch.Tensor) or not wanted.has_default_value():
            needed = place
    return func, args[:needed], {}


def _has_itself(name: str, line: str) -> bool:
    """Whether an op expands into itself and more: ``add`` into ``mul`` and ``add``.

    That cannot be told from the op beside another one, which may be missing on the other side.
    """
    return bool(re.search(rf" \| (aten|prims)::{name}\b", line))


def main() -> None:
    """Print the facts, each once."""
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    print("# What PyTorch's decompositions expand ops into; written by tools/decompositions.py.")
    print(f"# From PyTorch {torch.__version__.split('+')[0]}.")
    put = [line.replace("_unsafe_index_put", "index_put") for line in BEFORE_AUTOGRAD]
    more = (*interpolated(), *programs())
    for line in dict.fromkeys((*lines(), *unpacked(), *BEFORE_AUTOGRAD, *put, *more)):
        print(line)


if __name__ == "__main__":
    main()
