"""The program behind the synthesised samples: a small language model, one forward pass."""

from __future__ import annotations

from dataclasses import dataclass

from synthesis import Run, Tensor

ROOT = "/home/user/tinylm"
SEQUENCE, BATCH, HIDDEN, HEADS, HEAD, ROTARY, FFN, VOCABULARY = 128, 2, 256, 8, 32, 16, 688, 16000
TOKENS = (SEQUENCE, BATCH, HIDDEN)
BF16, F32, I64, BOOL = "BFloat16", "Float32", "Int64", "Bool"


@dataclass(frozen=True)
class Variant:
    """What is different from the plain eager run."""

    layers: int = 4
    compiled_rope: bool = False
    compiled_mask: bool = False
    activation: str = "SiLU"


class Decoder:
    """Plays the forward pass on a run; remembers the lines worth anchoring on."""

    def __init__(self, run: Run, variant: Variant) -> None:
        self.run = run
        self.variant = variant
        self.attention_line = 0
        """The attention score of the last layer."""
        self.mask_line = 0
        """The op that brings the embedded tokens of all shards together."""
        self.loss_line = 0
        self._weights: dict[str, Tensor] = {}

    def forward(self) -> None:
        """The whole pass, from token ids to the loss."""
        run = self.run
        with run.call("train.py", 61, "<module>"), run.call("train.py", 48, "main"):
            ids = run.new(I64, (BATCH, SEQUENCE))
            angles = run.new(F32, (SEQUENCE, 1, 1, ROTARY))
            with run.call("tinylm/model.py", 72, "construct"):
                hidden = self._embedding(ids)
                for layer in range(self.variant.layers):
                    with run.call("tinylm/layer.py", 40, "construct"):
                        hidden = self._layer(hidden, angles, layer)
            with run.call("tinylm/loss.py", 19, "construct"):
                self._loss(hidden, ids)

    def _weight(self, name: str, dtype: str, *shape: int) -> Tensor:
        if name not in self._weights:
            self._weights[name] = self.run.new(dtype, shape)
        return self._weights[name]

    # -- the vocabulary is split over ranks: ids of other ranks are masked out ------------------

    def _embedding(self, ids: Tensor) -> Tensor:
        run = self.run
        table = self._weight("vocabulary", BF16, VOCABULARY, HIDDEN)
        with run.call("tinylm/vocab_embedding.py", 50, "construct"):
            with run.call("tinylm/vocab_embedding.py", 27, "mask_foreign_ids"):
                local, mask = self._mask(ids)
            found = run.make("Embedding", BF16, (BATCH, SEQUENCE, HIDDEN), [local, table], 52)
            keep = run.make("LogicalNot", BOOL, mask.shape, [mask], 53)
            found = run.make("Mul", BF16, found.shape, [found, keep], 54)
            steps = (found.steps[1], found.steps[0], found.steps[2])
            turned = run.view("Transpose", found, TOKENS, steps, 0, 55)
            dense = run.make("Contiguous", BF16, TOKENS, [turned], 56)
            whole = run.make("InnerCommAllReduce", BF16, TOKENS, [dense], 57)
            self.mask_line = run.line
        return whole

    def _mask(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Local ids and the mask of foreign ones.

        Compiled, these integer ops found no kernel on the device: the host ran them, their
        operands are gone, and what comes back lies in blocks that no op of the trace wrote.
        """
        run, shape = self.run, ids.shape
        if not self.variant.compiled_mask:
            below = run.make("Less", BOOL, shape, [ids], 27)
            above = run.make("GreaterEqual", BOOL, shape, [ids], 28)
            mask = run.make("BitwiseOrTensor", BOOL, shape, [below, above], 28)
            shifted = run.make("SubScalar", I64, shape, [ids], 29)
            keep = run.make("LogicalNot", BOOL, shape, [mask], 30)
            return run.make("Mul", I64, shape, [shifted, keep], 30), mask
        run.make("Contiguous", I64, shape, [ids])
        with run.graph(0, constants=2):
            for name in ("Less", "GreaterEqual", "LogicalOr", "Sub", "LogicalNot", "Mul"):
                run.op(name, [], [])
        return run.new(I64, shape), run.new(BOOL, shape)

    # -- one layer -----------------------------------------------------------------------------

    def _layer(self, hidden: Tensor, angles: Tensor, layer: int) -> Tensor:
        run = self.run
        scale = self._weight(f"{layer}.norm", BF16, HIDDEN)
        normed = run.make("RmsNorm", BF16, TOKENS, [hidden, scale], 31)
        with run.call("tinylm/attention.py", 66, "construct"):
            attended = self._attention(normed, angles, layer)
        hidden = run.make("AddExt", BF16, TOKENS, [hidden, attended], 33)
        scale = self._weight(f"{layer}.norm2", BF16, HIDDEN)
        normed = run.make("RmsNorm", BF16, TOKENS, [hidden, scale], 35)
        with run.call("tinylm/mlp.py", 24, "construct"):
            widened = self._mlp(normed, layer)
        return run.make("AddExt", BF16, TOKENS, [hidden, widened], 37)

    def _linear(self, x: Tensor, weight: str, width: int, line: int) -> Tensor:
        matrix = self._weight(weight, BF16, width, x.shape[-1])
        shape = (*x.shape[:-1], width)
        return self.run.heavy("MatMulExt", BF16, shape, [x, matrix], line)

    def _attention(self, x: Tensor, angles: Tensor, layer: int) -> Tensor:
        run = self.run
        heads = (SEQUENCE, BATCH, HEADS, HEAD)
        parts = [
            run.reshape(self._linear(x, f"{layer}.{part}", HIDDEN, 58 + place), heads, 62 + place)
            for place, part in enumerate(("query", "key", "value"))
        ]
        with run.call("tinylm/rotary.py", 44, "apply_rotary_pos_emb"):
            query, key = (self._rope(part, angles) for part in parts[:2])
        score = (BATCH, HEADS, SEQUENCE, SEQUENCE)
        scores = run.heavy("BatchMatMul", BF16, score, [query, key], 68)
        self.attention_line = run.line
        scaled = run.make("Muls", BF16, score, [scores], 69)
        weights = run.make("Softmax", F32, score, [scaled], 70)
        narrow = run.make("Cast", BF16, score, [weights], 71)
        mixed = run.heavy("BatchMatMul", BF16, heads, [narrow, parts[2]], 72)
        return self._linear(run.reshape(mixed, TOKENS, 73), f"{layer}.out", HIDDEN, 74)

    def _mlp(self, x: Tensor, layer: int) -> Tensor:
        run = self.run
        gate = self._linear(x, f"{layer}.gate", FFN, 24)
        up = self._linear(x, f"{layer}.up", FFN, 25)
        active = run.make(self.variant.activation, BF16, gate.shape, [gate], 26)
        product = run.make("Mul", BF16, gate.shape, [active, up], 26)
        return self._linear(product, f"{layer}.down", HIDDEN, 27)

    # -- rotary position embedding: the function that the right run compiles ------------------

    def _rope(self, x: Tensor, angles: Tensor) -> Tensor:
        if not self.variant.compiled_rope:
            return self._rope_body(x, angles, cut="Slice", halve="SplitTensorView", constants=None)
        # The graph wants dense inputs: what was a view is copied at the border.
        dense = self.run.make("Contiguous", BF16, x.shape, [x])
        with self.run.graph(0, constants=4) as constants:
            return self._rope_body(
                dense, angles, cut="StridedSlice", halve="Split", constants=constants
            )

    def _rope_body(
        self, x: Tensor, angles: Tensor, *, cut: str, halve: str, constants: list[Tensor] | None
    ) -> Tensor:
        """On views, or in a graph on copies, with its constants as further operands."""
        run = self.run
        borders = (constants[:3], constants[1:]) if constants else (None, None)
        turned = self._part(cut, x, 0, ROTARY, 46, borders[0])
        rest = self._part(cut, x, ROTARY, HEAD - ROTARY, 47, borders[1])
        cosine = run.make("Cos", F32, angles.shape, [angles], 48)
        sine = run.make("Sin", F32, angles.shape, [angles], 49)
        straight = run.make("Mul", BF16, turned.shape, [turned, cosine], 50)
        with run.call("tinylm/rotary.py", 22, "rotate_half"):
            half = (*turned.shape[:-1], ROTARY // 2)
            if constants is None:
                first, second = (
                    Tensor(x.block, BF16, half, turned.steps, turned.offset + start)
                    for start in (0, ROTARY // 2)
                )
            else:
                first, second = run.new(BF16, half), run.new(BF16, half)
            run.op(halve, [first, second], [turned], line=20)
            negative = run.make("Neg", BF16, half, [second], 21)
            rotated = run.make("Concat", BF16, turned.shape, [negative, first], 22)
        crossed = run.make("Mul", BF16, turned.shape, [rotated, sine], 50)
        mixed = run.make("Add", BF16, turned.shape, [straight, crossed], 50)
        return run.make("Concat", BF16, x.shape, [mixed, rest], 51)

    def _part(
        self,
        cut: str,
        x: Tensor,
        start: int,
        width: int,
        line: int,
        borders: list[Tensor] | None,
    ) -> Tensor:
        """Some columns of a tensor: a view in eager code, a copy in a graph."""
        shape = (*x.shape[:-1], width)
        if borders is None:
            return self.run.view(cut, x, shape, x.steps, start, line)
        return self.run.make(cut, BF16, shape, [x, *borders], line)

    # -- the loss ---------------------------------------------------------------------------------

    def _loss(self, hidden: Tensor, ids: Tensor) -> None:
        run = self.run
        scale = self._weight("final_norm", BF16, HIDDEN)
        normed = run.make("RmsNorm", BF16, TOKENS, [hidden, scale], 15)
        logits = self._linear(normed, "head", VOCABULARY, 16)
        wide = run.make("Cast", F32, logits.shape, [logits], 17)
        flat = run.reshape(wide, (SEQUENCE * BATCH, VOCABULARY), 18)
        labels = run.reshape(ids, (SEQUENCE * BATCH,), 18)
        run.make("CrossEntropyLoss", F32, (), [flat, labels], 19)
        self.loss_line = run.line
