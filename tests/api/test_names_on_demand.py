"""Names that a package imports when somebody asks for them."""

from __future__ import annotations

import importlib
import pkgutil

import pytest


@pytest.mark.parametrize("name", ["opdiff.compare", "opdiff.report", "opdiff.session"])
def test_no_name_of_a_package_is_that_of_one_of_its_modules(name: str) -> None:
    """Once such a module is imported, the package gives it in place of what it holds."""
    package = importlib.import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert modules.isdisjoint(package.__all__)
