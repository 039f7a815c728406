"""Work under msprobe's mapping files: they become rules and pins, which sessions keep."""

from __future__ import annotations

from dataclasses import replace

from opdiff.msprobe.mapping import with_mappings
from opdiff.msprobe.mapping_files import Mappings
from opdiff.session.rules_edit import add_rule
from opdiff.session.work import Work
from opdiff.trace import Trace
from opdiff.wording import Sentence


def work_with_mappings(
    work: Work, mappings: Mappings, left: Trace, right: Trace
) -> tuple[Work, tuple[Sentence, ...]]:
    """The work with what the files say, and what the user should know of them."""
    mapped = with_mappings(work.request, mappings, left, right)
    text = work.rules_text
    for names in mapped.request.rules.same:
        if names not in work.request.rules.same:
            text = add_rule(text, "same", names)
    return replace(work, request=mapped.request, rules_text=text), mapped.remarks
