"""One spelling for the many ways in which frameworks write the name of an op.

Rules take away what does not tell one job from another; what they leave different is gathered into
families by a list (``data/families.txt``).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from opdiff.data import table

_NAMESPACE = re.compile(r"^(?:\w+::)+|^torch\.ops\.\w+\.")
_OVERLOAD = re.compile(r"\.\w+$")
_IN_PLACE = re.compile(r"^Inplace(?=[A-Z])|(?<=[a-z0-9])_$")
_SUFFIX = re.compile(r"(?<=[A-Za-z])(?:Ext|View|V[2-9]|Scalar|Tensor|TensorScalar|ScalarTensor)$")
_GRADIENT = re.compile(r"Grad$|_backward(?:_data)?$|Backward$")
_PLAIN = re.compile(r"^_+|^native_|^npu_|^aclnn(?=[A-Z])|_legit(?:_functional)?$")
_COMMUNICATION = re.compile(r"^(?:InnerComm|DistComm)(?=[A-Z])")
_BACKWARD = "backward"
_BEGINNINGS = ("aclnn", "Inplace", "InnerComm", "DistComm")
_ENDINGS = ("Ext", "View", "Scalar", "Tensor", "Grad", "Backward", *(f"V{n}" for n in range(2, 10)))
"""What the rules look for in names of letters and digits alone: most have none of it."""


@lru_cache(maxsize=1 << 18)
def canonical(name: str) -> str:
    """The family of a name: without namespace, overload, case and the marks of a variant.

    ``aten::mul_``, ``InplaceMul`` and ``Muls`` are one, as are ``ReduceSum`` and ``aten::sum``, and
    ``SiLUGrad`` and ``aten::silu_backward``.
    """
    families = families_by_name()
    spelled = spelling(name)
    for known in (name, spelled):
        if known in families:
            return families[known]
    base = spelled.removesuffix(_BACKWARD)
    return families.get(base, base) + _BACKWARD if base and base != spelled else spelled


def spelling(name: str) -> str:
    """What the rules alone make of a name."""
    if name.isalnum() and not name.endswith(_ENDINGS) and not name.startswith(_BEGINNINGS):
        return name.lower()
    bare = _OVERLOAD.sub("", _NAMESPACE.sub("", name)) or name
    bare = _PLAIN.sub("", _PLAIN.sub("", bare)) or bare
    bare = _COMMUNICATION.sub("", bare)
    bare = _IN_PLACE.sub("", bare) or bare
    for _ in range(2):
        bare = _SUFFIX.sub("", bare) or bare
    gradient = _GRADIENT.search(bare)
    if gradient and gradient.start():
        bare = _SUFFIX.sub("", bare[: gradient.start()]) + _BACKWARD
    return bare.replace("_", "").lower() or name


@cache
def families_by_name() -> dict[str, str]:
    """The family of each name of the list, as it is written there and as the rules spell it.

    Where the spelling of a name is that of another family (MindSpore's ``Gather`` is no
    ``aten::gather``), only the name itself belongs to the family.
    """
    families = table("families")["families"]
    own = {family[0] for family in families}
    found = {family[0]: family[0] for family in families}
    for family in families:
        for name in family[1:]:
            found[name] = family[0]
            spelled = spelling(name)
            if spelled not in own:
                found[spelled] = family[0]
    return found
