"""Scope, type and role of printed names."""

from __future__ import annotations

import pytest

from opdiff.trace.names import Role, role_of, split_name


@pytest.mark.parametrize(
    ("text", "scope", "kind", "role"),
    [
        ("MatMulExt", "", "MatMulExt", Role.OP),
        ("Default/Conv2D-op0", "Default", "Conv2D", Role.OP),
        ("Gradients/Default/a/Grad_Mul/Mul-op12", "Gradients/Default/a/Grad_Mul", "Mul", Role.OP),
        ("Default/0-注意力/Add-op0", "Default/0-注意力", "Add", Role.OP),
        ("Default/data-12", "Default", "data", Role.CONSTANT),
        ("data-0", "", "data", Role.CONSTANT),
        ("net.fc.weight", "", "net.fc.weight", Role.PARAMETER),
        ("w1", "", "w1", Role.PARAMETER),
        ("aten::add", "", "aten::add", Role.OP),
        ("kernel_graph_0_HostDSActor", "", "HostDSActor", Role.BOOKKEEPING),
        ("kernel_graph_1-5_DeviceDSActor", "", "DeviceDSActor", Role.BOOKKEEPING),
        ("UpdateOutputDeviceAddress", "", "UpdateOutputDeviceAddress", Role.BOOKKEEPING),
        ("AclWorkspace", "", "AclWorkspace", Role.WORKSPACE),
        ("WaitEvent", "", "WaitEvent", Role.EVENT),
        ("CopyTensorData", "", "CopyTensorData", Role.COPY),
        (
            "copy_from:kernel_graph_0_node:Default/a/Mul-op3_output_index:0",
            "Default/a",
            "copy_from",
            Role.COPY,
        ),
        ("-op3", "", "-op3", Role.OP),
        ("Default/", "", "Default", Role.OP),
        ("//", "", "//", Role.OP),
    ],
)
def test_names_are_taken_apart(text: str, scope: str, kind: str, role: Role) -> None:
    name = split_name(text)
    assert (name.scope, name.type) == (scope, kind)
    assert role_of(text, name) == role
