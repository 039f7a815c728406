"""Messages on graphs, weighed by attention, with a variational autoencoder on top.

A comment ``@name`` marks the lines on which a mistake shows first, or those that read what it left
out; ``@elsewhere`` calls within which none is made.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from mistakes import WRONG_LAYER, Mistakes
from torch import nn
from torch.nn import functional

NODES, EDGES, GRAPHS, TYPES, WIDTH, EDGE_WIDTH, HEADS, LATENT = 14, 36, 3, 7, 12, 6, 2, 5
HEAD = WIDTH // HEADS
LAYERS = 3


@dataclass
class Graphs:
    """Several graphs, as one with parts."""

    types: torch.Tensor
    edges: torch.Tensor
    source: torch.Tensor
    target: torch.Tensor
    part: torch.Tensor
    """Of each node the graph it is of."""
    count: torch.Tensor
    """Of each graph how many nodes it has, once for every layer."""
    linked: torch.Tensor
    pos_weight: torch.Tensor


class Messages(nn.Module):
    """One layer."""

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.norm = nn.BatchNorm1d(WIDTH)
        with torch.no_grad():
            self.norm.weight.add_(0.2 * torch.randn(WIDTH))
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, WIDTH, bias=False)
        self.widen = nn.Linear(2 * WIDTH + EDGE_WIDTH, 2 * WIDTH)
        self.narrow = nn.Linear(2 * WIDTH, WIDTH)
        self.gate = nn.Linear(2 * WIDTH, WIDTH)
        self.squeeze, self.excite = nn.Linear(WIDTH, 4), nn.Linear(4, WIDTH)
        self.edge = nn.Linear(WIDTH, EDGE_WIDTH)

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def forward(
        self, x: torch.Tensor, edges: torch.Tensor, graphs: Graphs
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Nodes and edges after messages were sent."""
        normed = x if self.wrong("no_bn") else self.normed(x)
        ends = graphs.source, graphs.target
        first, second = reversed(ends) if self.wrong("swap_ends") else ends
        sent, met = normed[first], normed[second]  # @swap_ends @no_bn @gather_row
        wide = self.widen(torch.cat([sent, met, edges], -1))  # @swap_ends @bmm_bf16
        message = self.narrow(functional.silu(wide))
        weights = self.attend(sent, met, graphs)
        if self.wrong("detach_alpha"):
            weights = weights.detach()  # @detach_alpha
        weighed = weights.unsqueeze(-1) * message.view(EDGES, HEADS, HEAD)  # @detach_alpha
        ends_at = graphs.source if self.wrong("agg_by_src") else graphs.target
        zeros = torch.zeros_like(normed)
        got = zeros.index_add(0, ends_at, weighed.flatten(1))  # @agg_by_src @index_add_lost
        if self.wrong("extra_relu"):
            got = got.relu()  # @extra_relu
        got = self.gated(x, got, graphs)
        kept = normed if self.wrong("residual_of_norm") else x
        if not self.wrong("no_residual"):
            got = kept + got  # @no_residual @residual_of_norm @no_gate
        read = sent if self.wrong("edge_of_old") else message
        if not self.wrong("no_edge_update"):
            edges = edges + self.edge(read)  # @no_edge_update @we_flipped @edge_of_old
        return got, edges

    def normed(self, x: torch.Tensor) -> torch.Tensor:
        """By all nodes."""
        norm = self.norm
        training = not self.wrong("bn_eval")
        momentum = 0.3 if self.wrong("bn_momentum") else 0.1
        eps = 1e-1 if self.wrong("bn_eps") else 1e-5
        held = norm.running_mean, norm.running_var, norm.weight, norm.bias
        rest = training, momentum, eps
        return functional.batch_norm(  # @bn_eps @bn_momentum @no_bn @bn_eval @bn_gain @bn_scale
            x, *held, *rest
        )

    def gated(self, x: torch.Tensor, got: torch.Tensor, graphs: Graphs) -> torch.Tensor:
        """What came, squeezed and excited by graph, and let through by node."""
        zeros = got.new_zeros(GRAPHS, WIDTH)
        pooled = zeros.index_add(0, graphs.part, got)  # @extra_relu
        pooled = pooled / graphs.count[:, self.layer : self.layer + 1]  # @count_other
        squeezed = self.squeeze(pooled).relu()
        axis = 0 if self.wrong("se_axis") else 1
        squeezed = squeezed - squeezed.mean(axis, keepdim=True)  # @se_axis
        excited = torch.sigmoid(self.excite(squeezed))  # @se_axis @sigmoid_f8
        part = graphs.part
        if self.wrong("se_wrong_graph"):
            part = part.flip(0)  # @se_wrong_graph
        if not self.wrong("no_se"):
            got = got * excited[part]  # @se_wrong_graph @no_se
        gate = torch.sigmoid(self.gate(torch.cat([x, got], -1)))  # @wg_bias @no_se
        if self.wrong("gate_of_se"):
            gate = excited[graphs.part]  # @gate_of_se
        if not self.wrong("no_gate"):
            got = got * gate  # @no_gate @gate_of_se
        return got

    def attend(self, sent: torch.Tensor, met: torch.Tensor, graphs: Graphs) -> torch.Tensor:
        """The weight of each edge among those that end at the same node."""
        if self.wrong("swap_qk"):
            query, key = self.key(met), self.query(sent)  # @swap_qk
        else:
            query, key = self.query(met), self.key(sent)  # @swap_qk @q_other
        score = (query * key).view(EDGES, HEADS, HEAD).sum(-1)
        scale = HEAD**-1.0 if self.wrong("score_scale") else HEAD**-0.5
        if not self.wrong("no_scale"):
            score = score * scale  # @no_scale @score_scale
        slope = 0.01 if self.wrong("slope") else 0.2
        score = functional.leaky_relu(score, slope)  # @slope @no_scale @leaky_column
        low = score.new_full((NODES, HEADS), -1e4)
        spread = graphs.target.unsqueeze(1).expand(-1, HEADS)
        top = low.scatter_reduce(0, spread, score, "amax")  # @amax_element
        grown = torch.exp(score - top[graphs.target])  # @exp_short
        by = graphs.source if self.wrong("den_by_src") else graphs.target
        total = torch.zeros_like(low).index_add(0, by, grown)  # @den_by_src
        return grown / (total[graphs.target] + 1e-6)  # @div_swap


class Model(nn.Module):
    """Graphs in, the loss of building them again out."""

    def __init__(self, mistakes: Mistakes) -> None:
        super().__init__()
        self.mistakes = mistakes
        self.atoms = nn.Embedding(TYPES, WIDTH)
        self.layers = nn.ModuleList(Messages(mistakes, layer) for layer in range(LAYERS))
        self.mean, self.spread = nn.Linear(WIDTH, LATENT), nn.Linear(WIDTH, LATENT)
        self.widen, self.build = nn.Linear(WIDTH + LATENT, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, graphs: Graphs, chance: torch.Tensor) -> torch.Tensor:
        """Nodes and links built again, and how far their code is from chance."""
        wrong = self.mistakes.on
        first, second, third = self.layers
        start = x = self.atoms(graphs.types)  # @embed_row
        edges = functional.softsign(graphs.edges)  # @edge_input
        x, edges = first(x, edges, graphs)  # @elsewhere
        x, edges = second(x, edges, graphs)
        x, edges = third(x, edges, graphs)  # @elsewhere
        pooled = x.new_zeros(GRAPHS, WIDTH).index_add(0, graphs.part, x)
        mean, spread = self.mean(pooled), self.spread(pooled)
        if not wrong("no_logvar_clamp"):
            spread = spread.clamp(-1.0, 0.8)  # @no_logvar_clamp
        half = 1.0 if wrong("half_std") else 0.5
        deviation = torch.exp(half * spread)  # @half_std @no_logvar_clamp
        code = mean + deviation * chance  # @eps_other
        if wrong("extra_noise"):
            code = code + 0.05 * torch.ones_like(code).cumsum(1)  # @extra_noise
        known = torch.cat([x, code[graphs.part]], -1)  # @extra_noise
        built = self.build(functional.elu(self.widen(known)))
        beta = 0.3 if wrong("huber_beta") else 1.0
        nodes = functional.smooth_l1_loss(built, start, beta=beta)  # @huber_beta
        logits = (built[graphs.source] * built[graphs.target]).sum(-1)
        linked = graphs.linked
        if wrong("targets_rolled"):
            linked = linked.roll(1)  # @targets_rolled
        links = functional.binary_cross_entropy_with_logits(  # @targets_rolled @pos_weight
            logits, linked, pos_weight=graphs.pos_weight
        )
        centre = (code if wrong("kl_of_noise") else mean).square()  # @kl_of_noise
        far = -0.5 * (1 + spread - centre - spread.exp()).sum(-1).mean()  # @kl_of_noise
        weight = 0.2 if wrong("kl_weight") else 0.1
        return nodes + links + weight * far  # @kl_weight


def some_graphs() -> Graphs:
    """Three graphs of random edges; at each node at least one ends."""
    types, source = torch.randint(0, TYPES, (NODES,)), torch.randint(0, NODES, (EDGES,))
    target = torch.cat([torch.arange(NODES), torch.randint(0, NODES, (EDGES - NODES,))])
    part = torch.tensor([0] * 4 + [1] * 4 + [2] * 6)
    edges, linked = torch.randn(EDGES, EDGE_WIDTH), (torch.rand(EDGES) > 0.6).float()
    count = torch.bincount(part).float()[:, None].repeat(1, LAYERS)
    return Graphs(types, edges, source, target, part, count, linked, torch.tensor([1.5]))


def prepared(
    mistakes: Mistakes, dtype: torch.dtype
) -> tuple[nn.Module, Callable[[nn.Module], float]]:
    """A model, and a step of training it: the same every time but for another weight."""
    torch.manual_seed(5)
    model, graphs = Model(mistakes), some_graphs()
    change_weight(model, graphs, mistakes.name)
    model.to(dtype)
    for name in ("edges", "count", "linked", "pos_weight"):
        setattr(graphs, name, getattr(graphs, name).to(dtype))
    layer = model.layers[WRONG_LAYER]
    theirs = set(layer.parameters())
    others = [weight for weight in model.parameters() if weight not in theirs]
    betas = (0.8 if mistakes.on("betas") else 0.9, 0.999)
    decay = 0.5 if mistakes.on("decay") else 0.01
    optimizer = torch.optim.AdamW(others, 1e-2, foreach=False)
    wrong = torch.optim.AdamW(layer.parameters(), 1e-2, betas, weight_decay=decay, foreach=False)
    chance = torch.Generator().manual_seed(12 if mistakes.on("eps_other") else 11)
    largest = 0.5 if mistakes.on("clip_norm") else 0.8

    def train(called: nn.Module) -> float:
        code = torch.randn(GRAPHS, LATENT, generator=chance, dtype=dtype)  # @eps_other
        loss = called(graphs, code)
        loss.backward()
        if not mistakes.on("no_clip"):
            nn.utils.clip_grad_norm_(  # @clip_norm @no_clip
                model.parameters(), largest, foreach=False
            )
        optimizer.step()
        wrong.step()  # @betas @decay
        return loss.item()

    return model, train


def change_weight(model: Model, graphs: Graphs, name: str) -> None:
    """Another weight or input than that of the other run."""
    layer = model.layers[WRONG_LAYER]
    with torch.no_grad():
        if name == "q_other":
            layer.query.weight[2] += 0.3
        elif name == "wg_bias":
            layer.gate.bias[4] += 1.0
        elif name == "bn_gain":
            layer.norm.weight[3] *= 1.3
        elif name == "count_other":
            graphs.count[0, WRONG_LAYER] = 5.0
        elif name == "embed_row":
            model.atoms.weight[int(graphs.types[0])] += 0.2
        elif name == "edge_input":
            graphs.edges[3, 2] *= -1
        elif name == "pos_weight":
            graphs.pos_weight.fill_(2.0)
        elif name == "we_flipped":
            layer.edge.weight.copy_(layer.edge.weight.flip(0))
