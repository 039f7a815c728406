"""One spelling for the many ways in which frameworks write the name of an op."""

from __future__ import annotations

import re
from functools import lru_cache

_NAMESPACE = re.compile(r"^(?:\w+::)+|^torch\.ops\.\w+\.")
_OVERLOAD = re.compile(r"\.\w+$")
_IN_PLACE = re.compile(r"^Inplace(?=[A-Z])|(?<=[a-z0-9])_$")
_SUFFIX = re.compile(r"(?<=[A-Za-z])(?:Ext|View|V2|Scalar|Tensor|TensorScalar|ScalarTensor)$")
_GRADIENT = re.compile(r"Grad$|_backward(?:_data)?$|Backward$")
_PLAIN = re.compile(r"^_+|^native_|_legit(?:_functional)?$")


@lru_cache(maxsize=1 << 16)
def canonical(name: str) -> str:
    """The name without namespace, overload, case and the marks of a variant.

    ``aten::mul_``, ``InplaceMul`` and ``Mul`` are one, as are ``SumExt`` and ``aten::sum``, and
    ``SiLUGrad`` and ``aten::silu_backward``.
    """
    bare = _OVERLOAD.sub("", _NAMESPACE.sub("", name)) or name
    bare = _PLAIN.sub("", _PLAIN.sub("", bare)) or bare
    bare = _IN_PLACE.sub("", bare) or bare
    for _ in range(2):
        bare = _SUFFIX.sub("", bare) or bare
    gradient = _GRADIENT.search(bare)
    if gradient and gradient.start():
        bare = _SUFFIX.sub("", bare[: gradient.start()]) + "backward"
    return bare.replace("_", "").lower() or name
