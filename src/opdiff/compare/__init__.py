"""Align two traces backwards from the anchors and classify every divergence. Knows no window."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opdiff.compare.comparing import compare
    from opdiff.compare.comparison import (
        Comparison,
        Divergence,
        Group,
        LostLink,
        Section,
        Side,
        SideResult,
        State,
        Swallowed,
        kind_of,
        state_of,
    )
    from opdiff.compare.kinds import SEVERITY, Kind
    from opdiff.compare.request import Direction, Request
    from opdiff.compare.rules import Equivalent, Ignore, Rules
else:
    from opdiff.on_demand import names_in

    __getattr__ = names_in(
        __name__,
        {
            "comparing": "compare",
            "comparison": "Comparison Divergence Group LostLink Section Side SideResult State "
            "Swallowed kind_of state_of",
            "kinds": "SEVERITY Kind",
            "request": "Direction Request",
            "rules": "Equivalent Ignore Rules",
        },
    )

__all__ = [
    "SEVERITY",
    "Comparison",
    "Direction",
    "Divergence",
    "Equivalent",
    "Group",
    "Ignore",
    "Kind",
    "LostLink",
    "Request",
    "Rules",
    "Section",
    "Side",
    "SideResult",
    "State",
    "Swallowed",
    "compare",
    "kind_of",
    "state_of",
]
