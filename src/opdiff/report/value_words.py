"""What values tell, in words that several reports say alike."""

from __future__ import annotations

from opdiff.compare import Divergence
from opdiff.report.phrases import Phrases
from opdiff.values import Measure
from opdiff.wording import Sentence
from opdiff.wording.printable import thousands


def values_line(phrases: Phrases) -> str:
    """How many pairs were compared by their values, and how many causes; empty without values."""
    comparison = phrases.listing.comparison
    told = comparison.values
    if told is None:
        return ""
    compared = thousands(len(told))
    if not told.differ:
        return phrases.say("values.same", compared=compared)
    count = len(told.roots())
    codes = {0: "values.no-cause", 1: "values.one-cause"}
    causes = Sentence.of(codes.get(count, "values.causes"), count=count)
    return phrases.say(
        "values.summary", compared=compared, differ=thousands(told.differ), causes=causes
    )


def value_details(phrases: Phrases, divergence: Divergence) -> list[str]:
    """Both statistics of a cause, and the figures of whole tensors; nothing for other records."""
    told = phrases.listing.comparison.values
    pair = divergence.value_pair
    if told is None or pair is None or not told.causes.cause[pair]:
        return []
    fact = told.fact(pair)
    code = "operand.output" if fact.operand.is_output else "operand.input"
    said = []
    left, right = statistics(fact.left), statistics(fact.right)
    if left or right:
        operand = Sentence.of(code, number=fact.operand.left)
        said.append(
            phrases.say("values.statistics", operand=operand, left=left or "–", right=right or "–")
        )
    if fact.figures is not None:
        said.append(
            phrases.say(
                "values.figures",
                cosine=f"{fact.figures.cosine:.6f}",
                absolute=f"{fact.figures.max_absolute:.3g}",
                relative=f"{fact.figures.max_relative:.3g}",
                one=f"{100 * fact.figures.within_one_thousandth:.1f} %",
                five=f"{100 * fact.figures.within_five_thousandths:.1f} %",
            )
        )
    return said


def statistics(measure: Measure | None) -> str:
    """What is known of a tensor: ``norm 7.93, min -0.2, max 3.1``."""
    if measure is None:
        return ""
    numbers = (
        ("norm", measure.norm),
        ("min", measure.minimum),
        ("max", measure.maximum),
        ("mean", measure.mean),
    )
    said = [f"{name} {number:.6g}" for name, number in numbers if number is not None]
    if measure.nonfinite:
        said.append(f"nonfinite {measure.nonfinite}")
    if measure.digest is not None and not said:
        said.append(f"hash {measure.digest}")
    return ", ".join(said)
