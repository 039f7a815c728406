"""Models to play: each gives a program of repeated layers with real dataflow."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.pairs.program import BF16, BOOL, F32, I64, Play, Program, dense_strides

Model = Callable[[Play, random.Random, int], int]
"""Plays some layers and returns the last value."""


def _linear(play: Play, source: int, name: str, width: int, kind: str = "MatMulExt") -> int:
    shape = play.spec(source).shape
    weight = play.parameter(name, BF16, shape[-1], width)
    return play.op(kind, [source, weight], (*shape[:-1], width), BF16)


def _rope(play: Play, states: int, angles: int) -> int:
    *lead, width = play.spec(states).shape
    half = width // 2
    strides = dense_strides((*lead, width))
    turned = play.view("Slice", states, (*lead, half), strides)
    kept = play.view("Slice", states, (*lead, half), strides, half)
    cosine = play.op("Cos", [angles])
    sine = play.op("Sin", [angles])
    straight = play.op("Mul", [turned, cosine], (*lead, half))
    first, second = play.split_last(turned)
    negated = play.op("Neg", [second])
    rotated = play.op("Concat", [negated, first], (*lead, half))
    crossed = play.op("Mul", [rotated, sine], (*lead, half))
    summed = play.op("Add", [straight, crossed])
    return play.op("Concat", [summed, kept], (*lead, width))


def _attention(play: Play, hidden: int, angles: int, tag: str) -> int:
    length, batch, width = play.spec(hidden).shape
    normed = play.op("RmsNorm", [hidden, play.parameter("norm", BF16, width)])
    query, key, value = (_linear(play, normed, f"{tag}{x}", width) for x in "qkv")
    states = play.reshape(query, length, batch, 4, width // 4)
    with play.part("rope"):
        turned = _rope(play, states, angles)
    scores = play.op("BatchMatMul", [turned, key], (batch, 4, length, length), F32)
    shares = play.op("Softmax", [scores])
    mixed = play.op("BatchMatMul", [shares, value], (length, batch, width), BF16)
    out = _linear(play, mixed, f"{tag}o", width)
    return play.op("Add", [hidden, out])


def rope_attention(play: Play, rng: random.Random, layers: int) -> int:
    """Attention with rotary positions, then a gated unit."""
    width = 128
    tokens = play.external(I64, 2, 64)
    angles = play.external(F32, 64, 1, 1, 16)
    hidden = play.op("Embedding", [tokens, play.external(BF16, 32000, width)], (64, 2, width), BF16)
    unique = rng.random() < 0.5
    for layer in range(layers):
        with play.part(f"layer{layer}"):
            hidden = _attention(play, hidden, angles, "")
            grown = _linear(play, hidden, "up", 512)
            active = play.op("SiLU", [grown])
            if unique:
                play.op("SumExt", [active], (layer + 3,), F32)
            hidden = play.op("Add", [hidden, _linear(play, active, "down", width)])
    return hidden


def vocabulary(play: Play, rng: random.Random, layers: int) -> int:
    """The mask and look-up of a vocabulary that is split over ranks."""
    tokens = play.op("Add", [play.external(I64, 2, 64)] * 2)
    table = play.external(BF16, 16000, 128)
    hidden = tokens
    for layer in range(layers):
        with play.part(f"layer{layer}"):
            with play.part("mask"):
                below = play.op("Less", [tokens], dtype=BOOL)
                above = play.op("GreaterEqual", [tokens], dtype=BOOL)
                outside = play.op("BitwiseOrTensor", [below, above])
                moved = play.op("SubScalar", [tokens])
                inside = play.op("LogicalNot", [outside])
                masked = play.op("Mul", [moved, inside])
            found = play.op("Embedding", [masked, table], (2, 64, 128), BF16)
            kept = play.op("LogicalNot", [outside])
            zeroed = play.op("MaskedFill", [found, kept])
            turned = play.transpose(zeroed, 0, 1)
            dense = play.op("Contiguous", [turned])
            hidden = play.op("InnerCommReduceScatter", [dense], (32, 2, 128))
            tokens = play.op("Argmax", [hidden], (2, 64), I64)
    return hidden


def chains(play: Play, rng: random.Random, layers: int) -> int:
    """Linear layers with chains of elementwise ops between them."""
    hidden = play.op(
        "Embedding", [play.external(I64, 2, 64), play.external(BF16, 9, 128)], (64, 2, 128), BF16
    )
    pool = ("Mul", "Sigmoid", "Sub", "Exp", "Tanh", "Square", "Abs", "Div", "Log", "Neg", "Rsqrt")
    chain = rng.sample(pool, rng.randrange(4, 8))
    scale = play.parameter("scale", BF16, 128)
    for layer in range(layers):
        with play.part(f"layer{layer}"):
            hidden = _linear(play, hidden, "weight", 128)
            start = hidden
            with play.part("chain"):
                for kind in chain:
                    if kind == "Mul":
                        hidden = play.op(kind, [hidden, scale])
                    elif kind in ("Sub", "Div"):
                        hidden = play.op(kind, [hidden, start])
                    else:
                        hidden = play.op(kind, [hidden])
            hidden = play.op("RmsNorm", [hidden, scale])
    return hidden


def branches(play: Play, rng: random.Random, layers: int) -> int:
    """A router and experts that do not depend on each other, with data-dependent counts."""
    hidden = play.op(
        "Embedding", [play.external(I64, 2, 64), play.external(BF16, 9, 96)], (128, 96), BF16
    )
    distinct, longer = rng.random() < 0.7, rng.random() < 0.5
    for layer in range(layers):
        with play.part(f"layer{layer}"):
            shares = play.op("Softmax", [_linear(play, hidden, "router", 8)])
            chosen = play.op("NonZero", [shares], (256, 2), I64)
            count = 150 + (rng.randrange(90) if distinct else 0)
            taken = play.piece(chosen, (count, 2))
            rows = play.op("IndexSelect", [hidden, taken], (count, 96))
            outs = []
            for expert, width in enumerate((64, 160, 192)):
                with play.part(f"expert{expert}"):
                    grown = _linear(play, rows, f"up{expert}", width)
                    active = play.op(("SiLU", "GeLU", "Tanh")[expert], [grown])
                    if expert == 1 and longer:
                        active = play.op("Square", [active])
                    outs.append(_linear(play, active, f"down{expert}", 96, "MatMul"))
            stacked = play.op("Concat", outs, (3 * count, 96))
            summed = play.op("IndexAddExt", [stacked, taken], (128, 96))
            hidden = play.op("Add", [summed, hidden])
    return hidden


def convolutions(play: Play, rng: random.Random, layers: int) -> int:
    """A convolutional net, forward and backward; eager single-op graphs have scoped names."""
    image = play.op("Cast", [play.external(F32, 8, 3, 32, 32)], dtype=BF16)
    channels, tape = 3, []
    for layer in range(layers):
        with play.part(f"layer{layer}"):
            kernel = play.parameter(f"kernel{layer}", BF16, 8 + layer, channels, 3, 3)
            channels = 8 + layer
            taken = image
            folded = play.op("Conv2D", [image, kernel], (8, channels, 32, 32))
            biased = play.op("BiasAdd", [folded, play.parameter(f"bias{layer}", BF16, channels)])
            active = play.op("ReLU", [biased])
            image = play.op("MaxPool", [active], (8, channels, 32, 32))
            tape.append((taken, kernel, biased, active, image))
    loss = play.op("SumExt", [image], (), F32)
    slope = play.op("BroadcastTo", [loss], play.spec(image).shape, BF16)
    for layer, (taken, kernel, biased, active, pooled) in reversed([*enumerate(tape)]):
        with play.part(f"layer{layer}"), play.part("back"):
            spread = play.op("MaxPoolGrad", [active, pooled, slope], play.spec(active).shape)
            gated = play.op("ReluGrad", [spread, biased])
            play.op("BiasAddGrad", [gated], play.spec(active).shape[1:2])
            change = play.op("Conv2DBackpropFilter", [gated, taken], play.spec(kernel).shape)
            slope = play.op("Conv2DBackpropInput", [gated, kernel], play.spec(taken).shape)
            play.in_place("ApplyMomentum", kernel, change)
    return slope


def _padded(play: Play, half: int) -> int:
    """The gradient of a slice: zeros, and a copy into a view of them."""
    *lead, width = play.spec(half).shape
    zeros = play.op("Zeros", [], (*lead, 2 * width), play.spec(half).dtype)
    window = play.view("Slice", zeros, (*lead, width), dense_strides((*lead, 2 * width)), width)
    after = play.view("InplaceCopy", window, (*lead, width), play.spec(window).strides or ())
    play.spec(after).offset = width
    play.program.steps[-1].inputs.append(half)
    return zeros


def training(play: Play, rng: random.Random, layers: int) -> int:
    """A transformer's forward, backward with gradients summed in place, and optimizer."""
    width = 64
    hidden = play.op(
        "Embedding",
        [play.external(I64, 2, 32), play.external(BF16, 99, width)],
        (32, 2, width),
        BF16,
    )
    names = ("query", "out", "up")
    tape = []
    sums: dict[tuple[str, int], int] = {}
    for layer in range(layers):
        with play.part(f"layer{layer}"):
            normed = play.op("LayerNorm", [hidden, play.parameter("norm", BF16, width)])
            query = _linear(play, normed, f"query{layer}", width)
            heads = play.reshape(query, 32, 2, 4, 16)
            turned = play.transpose(heads, 0, 1)
            dense = play.op("Contiguous", [turned])
            scores = play.op("BatchMatMulExt", [dense, normed], (2, 4, 32, 32), F32)
            shares = play.op("Softmax", [play.op("Muls", [scores])])
            mixed = play.op("BatchMatMulExt", [shares, normed], (32, 2, width), BF16)
            middle = play.op("AddExt", [hidden, _linear(play, mixed, f"out{layer}", width)])
            active = play.op("GeLU", [_linear(play, middle, f"up{layer}", 2 * width)])
            shrunk = play.op("SumExt", [active], (32, 2, width))
            hidden = play.op("AddExt", [middle, shrunk])
            tape.append((normed, mixed, middle, active))
    slope = play.op("Div", [hidden])
    for layer in reversed(range(layers)):
        normed, mixed, middle, active = tape[layer]
        with play.part(f"layer{layer}"), play.part("back"):
            wide = play.op("GeLUGrad", [active, slope], (32, 2, 2 * width))
            for name, kept, grad in zip(
                names, (normed, mixed, middle), (slope, slope, wide), strict=True
            ):
                turned = play.transpose(grad, 0, 2)
                shape = play.spec(play.parameter(f"{name}{layer}", BF16)).shape
                partial = play.op("MatMulExt", [turned, kept], shape, BF16)
                exact = play.op("Cast", [partial], dtype=F32)
                total = sums.get((name, layer)) or play.external(F32, *shape)
                sums[name, layer] = play.in_place("InplaceAddExt", total, exact)
            slope = play.op("LayerNormGrad", [slope, wide], (32, 2, width))
            with play.part("pad"):
                slope = _padded(play, play.op("Muls", [slope], (32, 2, width // 2)))
    with play.part("optimizer"):
        for (name, layer), total in sums.items():
            weight = play.parameter(f"{name}{layer}", BF16)
            moment = play.external(F32, *play.spec(weight).shape)
            play.in_place("AdamWeightDecay", moment, total)
            play.in_place("InplaceCopy", weight, total)
    return slope


def streams(play: Play, rng: random.Random, layers: int) -> int:
    """Communication on a side stream, with events between the streams."""
    width = 128
    hidden = play.op(
        "Embedding",
        [play.external(I64, 2, 64), play.external(BF16, 9, width)],
        (64, 2, width),
        BF16,
    )
    for layer in range(layers):
        with play.part(f"layer{layer}"):
            partial = _linear(play, hidden, "first", width)
            play.write("RecordEvent", [], [], event=str(2 * layer), stream_id="0")
            play.write("WaitEvent", [], [], event=str(2 * layer), stream_id="1")
            whole = play.op("AllReduce", [partial], group="tp-0-1", comm_rank="0 1", stream_id="1")
            aside = play.op("GeLU", [_linear(play, hidden, "aside", 2 * width)])
            play.write("RecordEvent", [], [], event=str(2 * layer + 1), stream_id="1")
            play.write("WaitEvent", [], [], event=str(2 * layer + 1), stream_id="0")
            gathered = play.op("AllGather", [whole], (128, 2, width), group="dp-0-2", stream_id="1")
            folded = play.op("MeanExt", [gathered], (64, 2, width))
            hidden = play.op("AddExt", [folded, play.op("SumExt", [aside], (64, 2, width))])
    return hidden


def arbitrary(play: Play, rng: random.Random, layers: int) -> int:
    """A layer of ops drawn at random, each reading values of its layer, repeated."""
    shapes = ((64, 2, 128), (64, 256), (2, 64, 64))
    kinds = ("Mul", "Add", "Sub", "Sigmoid", "Exp", "MatMulExt", "RmsNorm", "Softmax", "Concat")
    plan: list[tuple[str, list[int], int]] = []
    for _ in range(rng.randrange(8, 22)):
        kind = rng.choice(kinds)
        known = range(max(-4, -1 - len(plan)), 0)
        count = 1 if kind in ("Sigmoid", "Exp", "Softmax") else 2
        wanted = (kind, rng.sample(known, min(count, len(known))), rng.randrange(3))
        # Two ops of one kind that read the same could not be told apart.
        if all(wanted[:2] != made[:2] for made in plan[-4:]):
            plan.append(wanted)
    hidden = play.op("Embedding", [play.external(I64, 2, 64)], shapes[0], BF16)
    for layer in range(layers):
        with play.part(f"layer{layer}"):
            values = [hidden]
            for kind, inputs, shape in plan:
                values.append(play.op(kind, [values[at] for at in inputs], shapes[shape]))
            hidden = play.op("Add", [values[-1], hidden], shapes[0])
    return hidden


MODELS: dict[str, Model] = {
    "rope": rope_attention,
    "vocabulary": vocabulary,
    "chains": chains,
    "arbitrary": arbitrary,
    "branches": branches,
    "convolutions": convolutions,
    "training": training,
    "streams": streams,
}


def play_model(name: str, rng: random.Random, layers: int) -> Program:
    """The program of a model, ended by ops that occur only once."""
    play = Play()
    last = MODELS[name](play, rng, layers)
    with play.part("end"):
        total = play.op("ReduceMean", [last], (), F32)
        play.op("IsFinite", [total], dtype=BOOL)
    return play.program
