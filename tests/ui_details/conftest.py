from __future__ import annotations

from collections.abc import Iterator

import pytest
from made_pairs import compared, left_trace, right_trace, said
from PySide6.QtWidgets import QApplication

from opdiff.compare import Comparison, Divergence, Kind
from opdiff.ui.look.fonts import set_text_scale
from opdiff.ui.look.theme import LIGHT, apply_theme, current
from opdiff.ui.translations import install_language
from opdiff.wording import sentence


@pytest.fixture(scope="session", autouse=True)
def sentences_of_tests() -> Iterator[None]:
    """A sentence of its own beside the real ones."""
    known = {**sentence.sentences(), "detail-test": ("{what} differs", "{what}不同")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentence, "sentences", lambda: known)
        yield


@pytest.fixture(autouse=True)
def plain_english(qapp: QApplication) -> Iterator[None]:
    """Every test starts light and in English, with text of its usual size."""
    set_text_scale(1.0)
    if current() is not LIGHT or not qapp.styleSheet():
        apply_theme(qapp, LIGHT)
    install_language(qapp, "en")
    yield
    install_language(qapp, "en")
    set_text_scale(1.0)


@pytest.fixture
def rope() -> Comparison:
    """A view taken on the left that is copied on the right, as where eager code meets a graph."""
    return compared(
        left_trace(),
        right_trace(),
        [(0, 0), (1, 3), (2, 4), (3, 5)],
        [
            Divergence(Kind.OP_TYPE, (1,), (3,), said("type"), 0),
            Divergence(Kind.LAYOUT_MISSING, (1,), (3,), said("layout"), 1, caused_by=0),
            Divergence(Kind.CONTIGUOUS, (), (1,), said("copy"), 2),
        ],
        noise=((), (2,)),
    )
