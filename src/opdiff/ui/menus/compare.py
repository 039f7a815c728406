"""The menu of comparing: anchors, pins, and what is no difference."""

from __future__ import annotations

from opdiff.compare import Direction, Side
from opdiff.ui.actions import QT_TRANSLATE_NOOP, ActionSpec

_MARKS = ("ignoreOp", "ignoreType", "ignoreScope", "", "equivalentHere", "equivalentRule")
ROW_MENU = ("", "pinAdd", "pinMatch", "pinMove", "pinRemove", "pinAlone", "", *_MARKS)
"""What the menu of a row offers besides; an empty name is a line between."""
DIFFERENCE_MENU = ("noteDifference", "noteGroup", "", "knownGroup", "knownKind", "", *_MARKS)
"""What the menu of a difference in the list offers."""


def actions() -> tuple[ActionSpec, ...]:
    """The rows, from top to bottom."""
    return (
        ActionSpec(
            "compareUp",
            QT_TRANSLATE_NOOP("Actions", "Compare &upward"),
            QT_TRANSLATE_NOOP("Actions", "Compare the ops at and above the anchors, nearest first"),
            ("F5", "Ctrl+Return"),
            lambda w: w.compare(Direction.UP),
            lambda now: now.ready,
        ),
        ActionSpec(
            "compareDown",
            QT_TRANSLATE_NOOP("Actions", "Compare &downward"),
            QT_TRANSLATE_NOOP("Actions", "Compare the ops at and below the anchors, nearest first"),
            ("F6",),
            lambda w: w.compare(Direction.DOWN),
            lambda now: now.ready,
        ),
        ActionSpec(
            "compareWhole",
            QT_TRANSLATE_NOOP("Actions", "Compare the &whole traces"),
            QT_TRANSLATE_NOOP("Actions", "Compare both traces from end to end; needs no anchors"),
            ("F7",),
            lambda w: w.compare(Direction.WHOLE),
            lambda now: now.ready,
        ),
        ActionSpec(
            "ancestors",
            QT_TRANSLATE_NOOP("Actions", "Onl&y what the anchor depends on"),
            QT_TRANSLATE_NOOP("Actions", "Leave out ops that the anchor does not depend on"),
            ("D",),
            sets=lambda w, on: w.handlers.only_ancestors(on),
            separated=True,
        ),
        ActionSpec(
            "cancel",
            QT_TRANSLATE_NOOP("Actions", "&Cancel"),
            QT_TRANSLATE_NOOP("Actions", "Stop reading or comparing, or end a pin that was begun"),
            ("Esc",),
            lambda w: w.handlers.cancel(),
            lambda now: now.running or now.pin_begun,
        ),
        ActionSpec(
            "anchorHere",
            QT_TRANSLATE_NOOP("Actions", "Set &anchor here"),
            QT_TRANSLATE_NOOP("Actions", "Make the selected row the anchor of its side"),
            ("A",),
            lambda w: w.anchoring.here(),
            lambda now: now.row_selected,
            separated=True,
        ),
        ActionSpec(
            "anchorPair",
            QT_TRANSLATE_NOOP("Actions", "Set &both anchors here"),
            QT_TRANSLATE_NOOP("Actions", "Make the selected pair the anchors of both sides"),
            ("Shift+A",),
            lambda w: w.anchoring.pair(),
            lambda now: now.row_selected and now.compared,
        ),
        ActionSpec(
            "anchorLastOfFunction",
            QT_TRANSLATE_NOOP("Actions", "Set anchor at the last op of this function"),
            QT_TRANSLATE_NOOP(
                "Actions", "Make the last op of the selected op's Python function the anchor"
            ),
            ("L",),
            lambda w: w.anchoring.last_of_function(),
            lambda now: now.row_selected,
        ),
        ActionSpec(
            "takeHint",
            QT_TRANSLATE_NOOP("Actions", "Ta&ke the better anchors"),
            QT_TRANSLATE_NOOP(
                "Actions", "Compare from the anchors with which more ops find counterparts"
            ),
            ("H",),
            lambda w: w.anchoring.take_hint(),
            lambda now: now.has_hint and now.ready,
        ),
        ActionSpec(
            "findLeft",
            QT_TRANSLATE_NOOP("Actions", "&Find left anchor…"),
            QT_TRANSLATE_NOOP(
                "Actions", "Find an op on the left by type, scope or Python function"
            ),
            ("Ctrl+Shift+L",),
            lambda w: w.handlers.find(Side.LEFT),
            lambda now: now.left,
        ),
        ActionSpec(
            "findRight",
            QT_TRANSLATE_NOOP("Actions", "Find rig&ht anchor…"),
            QT_TRANSLATE_NOOP(
                "Actions", "Find an op on the right by type, scope or Python function"
            ),
            ("Ctrl+Shift+R",),
            lambda w: w.handlers.find(Side.RIGHT),
            lambda now: now.right,
        ),
        ActionSpec(
            "pinAdd",
            QT_TRANSLATE_NOOP("Actions", "&Pin this op…"),
            QT_TRANSLATE_NOOP(
                "Actions", "Begin a pin: this op is the same as one on the other side"
            ),
            ("M",),
            lambda w: w.pinning.add(),
            lambda now: now.op_meant,
            separated=True,
        ),
        ActionSpec(
            "pinMatch",
            QT_TRANSLATE_NOOP("Actions", "…with this op"),
            QT_TRANSLATE_NOOP("Actions", "End the pin, or its move, at the selected row"),
            ("Shift+M",),
            lambda w: w.pinning.match(),
            lambda now: now.pin_can_end,
        ),
        ActionSpec(
            "pinMove",
            QT_TRANSLATE_NOOP("Actions", "&Move this pin…"),
            QT_TRANSLATE_NOOP("Actions", "Put this end of the pin on another op"),
            ("Alt+M",),
            lambda w: w.pinning.move(),
            lambda now: now.pinned,
        ),
        ActionSpec(
            "pinRemove",
            QT_TRANSLATE_NOOP("Actions", "&Remove this pin"),
            QT_TRANSLATE_NOOP("Actions", "Take the pin of the selected op out"),
            ("Ctrl+Shift+M",),
            lambda w: w.pinning.remove(),
            lambda now: now.pinned,
        ),
        ActionSpec(
            "pinAlone",
            QT_TRANSLATE_NOOP("Actions", "This op has n&o counterpart"),
            QT_TRANSLATE_NOOP(
                "Actions", "Say that nothing on the other side matches it, or take it back"
            ),
            ("Ctrl+M",),
            lambda w: w.pinning.alone(),
            lambda now: now.op_meant,
        ),
        ActionSpec(
            "ignoreOp",
            QT_TRANSLATE_NOOP("Actions", "Ignore these &very ops"),
            QT_TRANSLATE_NOOP("Actions", "The selected ops are no difference"),
            ("I",),
            lambda w: w.judging.ignore_ops(),
            lambda now: now.op_meant,
            separated=True,
        ),
        ActionSpec(
            "ignoreType",
            QT_TRANSLATE_NOOP("Actions", "Ignore this op &type"),
            QT_TRANSLATE_NOOP("Actions", "A rule: ops of this type are no difference anywhere"),
            ("Shift+I",),
            lambda w: w.judging.ignore_type(),
            lambda now: now.op_meant,
        ),
        ActionSpec(
            "ignoreScope",
            QT_TRANSLATE_NOOP("Actions", "Ignore this &scope"),
            QT_TRANSLATE_NOOP("Actions", "A rule: ops of this scope are no difference"),
            ("Ctrl+I",),
            lambda w: w.judging.ignore_scope(),
            lambda now: now.in_scope,
        ),
        ActionSpec(
            "equivalentHere",
            QT_TRANSLATE_NOOP("Actions", "E&quivalent here"),
            QT_TRANSLATE_NOOP("Actions", "The ops selected on both sides do the same work, here"),
            ("E",),
            lambda w: w.judging.equivalent_here(),
            lambda now: now.both_selected,
        ),
        ActionSpec(
            "equivalentRule",
            QT_TRANSLATE_NOOP("Actions", "Equivalent &everywhere"),
            QT_TRANSLATE_NOOP("Actions", "A rule: such ops do the same work wherever they occur"),
            ("Shift+E",),
            lambda w: w.judging.equivalent_everywhere(),
            lambda now: now.both_selected,
        ),
        ActionSpec(
            "knownGroup",
            QT_TRANSLATE_NOOP("Actions", "This group is k&nown"),
            QT_TRANSLATE_NOOP("Actions", "Grey this group out, or bring it back"),
            ("K",),
            lambda w: w.judging.toggle_group(),
            lambda now: now.at_difference,
            checkable=True,
            separated=True,
        ),
        ActionSpec(
            "knownKind",
            QT_TRANSLATE_NOOP("Actions", "This k&ind is known"),
            QT_TRANSLATE_NOOP(
                "Actions", "Grey all differences of this kind out, or bring them back"
            ),
            ("Shift+K",),
            lambda w: w.judging.toggle_kind(),
            lambda now: now.at_difference,
            checkable=True,
        ),
        ActionSpec(
            "marks",
            QT_TRANSLATE_NOOP("Actions", "Pins and i&gnored ops…"),
            QT_TRANSLATE_NOOP("Actions", "List and remove pins, ignored and equivalent ops"),
            ("Ctrl+Shift+P",),
            lambda w: w.handlers.show_marks(),
            lambda now: now.both,
            separated=True,
        ),
        ActionSpec(
            "rules",
            QT_TRANSLATE_NOOP("Actions", "Ru&les…"),
            QT_TRANSLATE_NOOP("Actions", "Edit, load and save the rules"),
            ("Ctrl+U",),
            lambda w: w.handlers.show_rules(),
        ),
    )
