"""The user's decisions as JSON and back: rows become places, places are looked up again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from opdiff.compare import Direction, Kind, Request, Rules, Side
from opdiff.session.json_fields import Field
from opdiff.session.places import Bookmark, Bookmarks
from opdiff.session.work import DivergenceKey, GroupKey, UserNote, Work
from opdiff.trace import Trace
from opdiff.wording import Sentence, say

Json = dict[str, object]
_SAID = "session.title-as-said"
_DEEPEST = 8
"""Sentences within sentences: none of ours comes near."""


class Encoder:
    """Writes work on two traces down."""

    def __init__(self, left: Trace, right: Trace) -> None:
        self._bookmarks = (Bookmarks(left), Bookmarks(right))

    def encode(self, work: Work) -> Json:
        """Everything but the files and the view."""
        request = work.request
        return {
            "direction": request.direction.value,
            "ancestors": request.ancestors,
            "anchors": {
                "left": self._one(Side.LEFT, request.left_anchor),
                "right": self._one(Side.RIGHT, request.right_anchor),
            },
            "pins": [self._both((left,), (right,)) for left, right in request.pins],
            "alone": self._both(sorted(request.alone_left), sorted(request.alone_right)),
            "ignored": self._both(sorted(request.ignored_left), sorted(request.ignored_right)),
            "equivalent_here": [self._both(*rows) for rows in request.equivalent_here],
            "rules": {
                "path": work.rules_path,
                "text": work.rules_text,
                "builtin": request.rules.builtin,
            },
            "filters": {
                "hidden_kinds": sorted(kind.value for kind in work.hidden_kinds),
                "known_hidden": work.known_hidden,
            },
            "known": {
                "kinds": sorted(kind.value for kind in work.known_kinds),
                "groups": [
                    _group(key) for key in sorted(work.known_groups, key=lambda key: key.words)
                ],
            },
            "notes": [self._note(note) for note in work.notes],
        }

    def _one(self, side: Side, row: int | None) -> Json | None:
        return None if row is None else asdict(self._bookmarks[side].of(row))

    def _both(self, left: Iterable[int], right: Iterable[int]) -> Json:
        return {
            "left": [self._one(Side.LEFT, row) for row in left],
            "right": [self._one(Side.RIGHT, row) for row in right],
        }

    def _note(self, note: UserNote) -> Json:
        if isinstance(note.about, GroupKey):
            return {**_group(note.about), "text": note.text}
        places = self._both(note.about.left_rows, note.about.right_rows)
        return {"kind": note.about.kind.value, **places, "text": note.text}


def _group(key: GroupKey) -> Json:
    # The words are for people, and for versions that know nothing of codes.
    return {"kind": key.kind.value, "title": say(key.title), **_title_json(key.title)}


class Decoder:
    """Reads work on two traces that may have changed since; ``remarks`` says what was lost."""

    def __init__(self, left: Trace, right: Trace) -> None:
        self._bookmarks = (Bookmarks(left), Bookmarks(right))
        self._traces = (left, right)
        self.remarks: list[Sentence] = []

    def decode(self, document: Field) -> Work:
        """The work of a document: what its places mean in these traces."""
        rules, filters, known = document["rules"], document["filters"], document["known"]
        work = Work(
            request=self._request(document),
            hidden_kinds=frozenset(kind.one_of(Kind) for kind in filters["hidden_kinds"]),
            known_hidden=filters["known_hidden"].flag(default=False),
            known_kinds=frozenset(kind.one_of(Kind) for kind in known["kinds"]),
            known_groups=frozenset(_group_key(group) for group in known["groups"]),
            notes=tuple(note for field in document["notes"] for note in self._note(field)),
        )
        return work.with_rules(rules["text"].text(""), rules["path"].text_if_any())

    def _request(self, document: Field) -> Request:
        anchors, alone, ignored = document["anchors"], document["alone"], document["ignored"]
        return Request(
            direction=document["direction"].one_of(Direction, Direction.WHOLE),
            ancestors=document["ancestors"].flag(default=False),
            left_anchor=self._anchor(Side.LEFT, anchors["left"]),
            right_anchor=self._anchor(Side.RIGHT, anchors["right"]),
            pins=self._pins(document["pins"]),
            alone_left=frozenset(self._rows(Side.LEFT, alone)),
            alone_right=frozenset(self._rows(Side.RIGHT, alone)),
            ignored_left=frozenset(self._rows(Side.LEFT, ignored)),
            ignored_right=frozenset(self._rows(Side.RIGHT, ignored)),
            equivalent_here=tuple(
                rows for field in document["equivalent_here"] for rows in self._equivalent(field)
            ),
            rules=Rules(builtin=document["rules"]["builtin"].flag(default=True)),
        )

    def _anchor(self, side: Side, field: Field) -> int | None:
        if field.is_absent:
            return None
        row = self._row(side, field)
        line = field["line"].number()
        if row is not None and self._traces[side].row_at(line) != row:
            now = int(self._traces[side].line_of(row))
            self.remarks.append(
                Sentence.of("session.anchor-moved", side=_side_name(side), line=line, now=now)
            )
        return row

    def _pins(self, field: Field) -> tuple[tuple[int, int], ...]:
        pins: dict[int, int] = {}
        for pin in field:
            left, right = self._rows(Side.LEFT, pin), self._rows(Side.RIGHT, pin)
            # Two ops that were told apart before may have become one: an op has one counterpart.
            if len(left) == len(right) == 1 and not (left[0] in pins or right[0] in pins.values()):
                pins[left[0]] = right[0]
        return tuple(sorted(pins.items()))

    def _equivalent(self, field: Field) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        left, right = self._rows(Side.LEFT, field), self._rows(Side.RIGHT, field)
        whole = len(list(field["left"])), len(list(field["right"]))
        if (len(left), len(right)) == whole and all(whole):
            yield tuple(sorted(set(left))), tuple(sorted(set(right)))

    def _note(self, field: Field) -> Iterator[UserNote]:
        text = field["text"].text()
        if not field["title"].is_absent:
            yield UserNote(_group_key(field), text)
            return
        rows = tuple(self._rows(Side.LEFT, field)), tuple(self._rows(Side.RIGHT, field))
        if any(rows):
            yield UserNote(DivergenceKey(field["kind"].one_of(Kind), *rows), text)

    def _rows(self, side: Side, field: Field) -> list[int]:
        """The rows of one side that are still there."""
        found = [self._row(side, place) for place in field[side.name.lower()]]
        return [row for row in found if row is not None]

    def _row(self, side: Side, field: Field) -> int | None:
        place = Bookmark(
            line=field["line"].number(),
            op=field["op"].text(),
            specs=field["specs"].text(),
            before=tuple(name.text() for name in field["before"]),
            after=tuple(name.text() for name in field["after"]),
            occurrence=field["occurrence"].number(),
        )
        row = self._bookmarks[side].find(place)
        if row is None:
            self.remarks.append(
                Sentence.of("session.op-lost", side=_side_name(side), line=place.line, op=place.op)
            )
        return row


def _group_key(field: Field) -> GroupKey:
    return GroupKey(
        field["kind"].one_of(Kind), _title_from(field) or as_said(field["title"].text())
    )


def _side_name(side: Side) -> Sentence:
    return Sentence.of(f"session.{side.name.lower()}")


# Titles: a code and what fills it in, which another wording does not change


def as_said(words: str) -> Sentence:
    """A title of which only the words are known."""
    return Sentence.of(_SAID, words=words)


def _title_json(title: Sentence) -> Json:
    """A title as a session keeps it; nothing where only its words are known."""
    return {} if title.code == _SAID else _encoded(title)


def _title_from(field: Field) -> Sentence | None:
    """A title that a session kept; None where it kept words only, or a code that is no more."""
    if field["code"].is_absent:
        return None
    title = _decoded(field, _DEEPEST)
    try:
        say(title)
    except (KeyError, ValueError, IndexError):  # no such code, or it wants other arguments
        return None
    return title


def _encoded(sentence: Sentence) -> Json:
    args = {
        name: _encoded(value) if isinstance(value, Sentence) else value
        for name, value in sentence.args
    }
    return {"code": sentence.code, "args": args}


def _decoded(field: Field, depth: int) -> Sentence:
    if not depth:
        raise field.wrong("session.a-text")
    args = {name: _argument(field["args"][name], depth) for name in field["args"].mapping()}
    return Sentence(field["code"].text(), tuple(args.items()))


def _argument(field: Field, depth: int) -> str | int | Sentence:
    if field.holds(dict):
        return _decoded(field, depth - 1)
    return field.number() if field.holds(int) else field.text()
