"""The names of ops as data: one family a job, and no way from one job to another."""

from __future__ import annotations

from itertools import combinations

import pytest

from opdiff.compare import Rules
from opdiff.compare.names.known_names import is_known, unknown_names
from opdiff.compare.names.spelling import canonical, families_by_name, spelling
from opdiff.compare.names.table import table_for
from opdiff.data import table
from opdiff.trace import ColumnsBuilder, Source, Trace

FAMILIES = table("families")["families"]
TABLE = table_for(Rules())


def test_families_are_spelled_as_the_rules_spell() -> None:
    assert len(FAMILIES) > 60
    for family in FAMILIES:
        assert spelling(family[0]) == family[0], family
        assert canonical(family[0]) == family[0], family


def test_every_name_belongs_to_one_family() -> None:
    seen: dict[str, str] = {}
    for family in FAMILIES:
        for name in family:
            assert seen.setdefault(name, family[0]) == family[0], name
            assert canonical(name) == family[0], name
    own = {family[0] for family in FAMILIES}
    spelled: dict[str, str] = {}
    for family in FAMILIES:
        for name in family[1:]:
            one = spelling(name)
            if one not in own:
                assert spelled.setdefault(one, family[0]) == family[0], name


def test_no_name_is_listed_that_the_rules_know() -> None:
    others = {spelling(name): family[0] for family in FAMILIES for name in family[1:]}
    for family in FAMILIES:
        assert len(family) > 1 or family[0] in others, "its spelling is in nobody's way"
        for name in family[1:]:
            assert spelling(name) != family[0], name


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family[0])
def test_what_holds_for_a_name_holds_for_its_gradient(family: tuple[str, ...]) -> None:
    if family[0].endswith("backward"):
        return
    for name in family[1:]:
        if name[0].isupper() and spelling(name) in families_by_name():
            expected = families_by_name()[spelling(name)]
            assert canonical(f"{name}Grad") == expected + "backward", name


SAME_JOB = [
    ("Muls", "aten::mul_"),
    ("Dense", "aten::linear"),
    ("Dense", "aten::addmm"),
    ("ReduceSum", "aten::sum"),
    ("ReduceMean", "prims::mean"),
    ("ExpandDims", "aten::unsqueeze"),
    ("GatherD", "aten::gather"),
    ("Gather", "aten::embedding"),
    ("Gather", "aten::index_select"),
    ("Cast", "aten::_to_copy"),
    ("AssignAdd", "aten::add_"),
    ("AddN", "aten::add"),
    ("BatchMatMul", "aten::bmm"),
    ("MatMulExt", "aten::bmm"),
    ("Adam", "aclnnApplyAdam"),
    ("AdamWeightDecay", "aclnnApplyAdamWV2"),
    ("Concat", "aten::cat"),
    ("Equal", "aten::eq.Scalar"),
    ("RealDiv", "operator::truediv"),
    ("LayerNormGradV3", "aten::native_layer_norm_backward"),
    ("SoftmaxGrad", "aten::_softmax_backward_data"),
    ("UnsortedSegmentSum", "aten::embedding_dense_backward"),
    ("ReluGrad", "aten::threshold_backward"),
    ("HSwishGrad", "aten::hardswish_backward"),
    ("FlashAttentionScore", "NPU::npu_fusion_attention"),
    ("Tile", "aten::repeat"),
    ("aclnnIndexPutImpl", "aten::index_put_"),
    ("aclnnInplaceCopy", "aten::copy_"),
    ("aclnnForeachAddListV2", "aten::_foreach_add_list"),
    ("InnerCommAllGather", "_c10d_functional::all_gather_into_tensor"),
    ("Tensor::__radd__", "Mint::add"),
    ("operator::imul", "Tensor::__mul__"),
    ("Functional::linear", "Primitive::Dense"),
]


@pytest.mark.parametrize(("one", "other"), SAME_JOB)
def test_names_of_one_job_may_be_paired(one: str, other: str) -> None:
    assert TABLE.may_pair(one, other)
    assert TABLE.may_pair(other, one)


JOBS = """
    Add Sub Mul Div Pow Neg Exp Log Sqrt Rsqrt Tanh Sigmoid SiLU GeLU ReLU Softmax LogSoftmax
    LayerNorm RmsNorm BatchNorm MatMul Conv2D Concat Split Transpose ReduceSum ReduceMean ReduceMax
    ReduceMin Gather GatherD OneHot Equal Less Greater LogicalAnd LogicalNot Select
    Dropout Sort TopK CumSum Adam AdamWeightDecay SGD AllReduce AllGather ReduceScatter NLLLoss
    FlashAttentionScore Cast Ones Zeros Arange SoftmaxGrad LayerNormGrad SiLUGrad
""".split()


def test_names_of_different_jobs_are_never_paired() -> None:
    """Entries of the tables do not chain: what one name may be is no matter of a third one."""
    wrong = [pair for pair in combinations(JOBS, 2) if TABLE.may_pair(*pair)]
    assert wrong == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Gather", "aten::gather"),  # MindSpore's takes whole slices, as index_select does
        ("Select", "aten::select"),  # one chooses between two tensors, one takes a slice
        ("Gather", "GatherD"),
        ("aten::sum", "aten::sub"),
        ("SoftmaxGrad", "aten::_softmax"),
    ],
)
def test_false_friends(one: str, other: str) -> None:
    assert not TABLE.may_pair(one, other)


def test_without_the_table_names_stand_for_themselves() -> None:
    bare = table_for(Rules(builtin=False))
    assert not bare.may_pair("ReduceSum", "aten::sum")


@pytest.mark.parametrize(
    "name",
    "AddExt aten::mul.Tensor Functional::linear_backward aclnnMatmul SiLUGrad operator::setitem "
    "GraphKernel_Add_Mul_fusion operator::getitem prims::convert_element_type InplaceAddExt "
    "Distributed::all_reduce NPU::npu_fusion_attention".split(),
)
def test_known_names(name: str) -> None:
    assert is_known(name)


def test_unknown_names_of_a_trace_are_counted() -> None:
    builder = ColumnsBuilder()
    for name in ["Add-op0", "Default/MyOwnKernel-op1", "MyOwnKernel-op2", "Other::thing-op3"]:
        builder.add(name, [], [])
    trace = Trace(Source("x.ir", "mindspore-tracker"), *builder.build())
    assert unknown_names(trace) == {"MyOwnKernel": 2, "Other::thing": 1}
    modules = Trace(Source("dump.json", "msprobe"), *builder.build())
    assert unknown_names(modules) == {"Other::thing": 1}
