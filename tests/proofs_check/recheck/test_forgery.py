"""A thousand accidents, which the digest finds, and a thousand forgeries, which the rules find."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import pytest

from proofs_check.inequalities import prove
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.file import (
    Unusable,
    canonical,
    check_form,
    digest,
    read,
    recheck,
)

from .truth import counterexample

CLAIMS: list[tuple[str, list[str]]] = [
    ("x*(1 - x) <= 1/4", []),
    ("log(1 + x) <= x", ["x > -1"]),
    ("exp(x) >= 1 + x", []),
    ("sqrt(1 + x) <= 1 + x/2", ["x >= 0"]),
    ("x**4 - 2*x**2 + 1 > 0", ["x > 1"]),
    ("x*y <= 1/4", ["x + y == 1"]),
    ("x**2 + y**2 >= 2*x*y", []),
    ("x + y <= 5", ["x <= 2", "y <= 3"]),
    ("2**n >= n + 1", ["n in N"]),
    ("n**2 >= n", ["n in Z"]),
    ("abs(x + y) <= abs(x) + abs(y)", []),
    ("x*exp(-x) <= 2/5", ["x >= 0"]),
    ("x**2 > 1 and x**3 > 1", ["x > 1"]),
    ("x <= 1 or x**2 > 1", []),
    ("exp(x)*exp(y) >= 1 + x + y", ["0 <= x <= 1", "0 <= y <= 1"]),
    ("sin(x) <= x", ["0 <= x <= 2"]),
    ("x*y*z <= 1", ["0 <= x <= 1", "0 <= y <= 1", "0 <= z <= 1"]),
    ("x**2 + y**2 - x*y + 1 > 0", ["-3 <= x <= 3", "-3 <= y <= 3"]),
    ("x + 2*y <= 7", ["x + y <= 4", "y <= 3", "x >= 0"]),
    ("sqrt(x*y) <= (x + y)/2", ["x >= 0", "y >= 0"]),
    ("x*y <= 1/8", ["x + 2*y <= 1", "x >= 0", "y >= 0"]),
    ("x >= 0 or x**2 > 0 and x < 1", []),
    ("x <= 1", ["x > 2 and x < 1 or x <= 1"]),
    ("1/x <= 1 or x < 1", ["x != 0"]),
    ("x**2 == 4", ["x == 2"]),
    ("cos(x) >= 1 - x**2/2", []),
    ("log(x) <= x - 1", ["x > 0"]),
    ("x**3 + y**3 + z**3 >= 3*x*y*z", ["x >= 0", "y >= 0", "z >= 0"]),
    ("a/(b + c) + b/(c + a) + c/(a + b) >= 3/2", ["a > 0", "b > 0", "c > 0"]),
    ("x*y/(x + y) <= y*log(1 + x/y)", ["x > 0", "y > 0"]),
    ("2*x**2 - 21/20*x**4 + x**6/6 + x*y + y**2 >= 0", ["-5 <= x <= 5", "-5 <= y <= 5"]),
    ("exp(x + y) <= exp(x)*exp(y) + 1/256", ["0 <= x <= 1", "0 <= y <= 1"]),
    ("log(x) <= (a/E)*exp(log(x)/a)", ["1/2 <= x <= 100", "1 <= a <= 5"]),
    ("log(exp(x) + exp(y)) >= (x + y)/2 + log(2)", ["-5 <= x <= 5", "-5 <= y <= 5"]),
    ("(x - y**2)**2 + (y - 1)**2 + (x - z**2)**2 + (z - 1)**2 >= 0", ["-9 <= x <= 9"]),
    ("x**4 + y**4 + z**4 + 1 >= 4*x*y*z", []),
]
COUNT = 1000
Document = dict[str, Any]


@lru_cache(maxsize=1)
def genuine() -> tuple[Document, ...]:
    """Certificates of the claims above."""
    found = [prove(claim, hypotheses).certificate for claim, hypotheses in CLAIMS]
    return tuple(dict(one) for one in found if one is not None)


def test_the_genuine_ones_are_accepted() -> None:
    assert len(genuine()) == len(CLAIMS)
    for document in genuine():
        recheck(read(canonical(document)))


def test_the_judge_of_truth_sees_what_is_false() -> None:
    for claim, hypotheses in CLAIMS:
        assert counterexample(claim, hypotheses) is None, claim
    assert counterexample("x*(1 - x) <= 6/25", []) is not None
    assert counterexample("log(1 + x) <= x", ["x >= -1"]) is not None
    assert counterexample("x**4 - 2*x**2 + 1 > 0", ["x >= 1"]) is not None
    assert counterexample("n**2 > n", ["n in N"]) is not None


# --- accidents ------------------------------------------------------------------------------
def damaged(content: bytes, choose: random.Random) -> bytes:
    """One byte or bit changed, lost or doubled, or the end cut off."""
    at = choose.randrange(len(content))
    kind = choose.randrange(5)
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + bytes([content[at] ^ (1 << choose.randrange(8))]) + content[at + 1 :]
    if kind == 2:
        return content[:at] + bytes([choose.randrange(256)]) + content[at + 1 :]
    if kind == 3:
        return content[:at] + content[at + choose.randint(1, 40) :]
    return content[:at] + content[at : at + 30] + content[at:]


def test_no_accident_goes_unnoticed() -> None:
    choose = random.Random(20_240_601)
    for number in range(COUNT):
        document = genuine()[number % len(genuine())]
        content = canonical(document) + b"\n"
        changed = damaged(content, choose)
        try:
            found = read(changed)
        except Unusable:
            continue
        assert found == document, changed  # nothing but white space has changed


# --- forgeries ------------------------------------------------------------------------------
Mutation = Callable[[Document, random.Random], None]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of everything inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items):
        yield value, key
        if isinstance(item, dict | list):
            yield from places(item)


def another_number(text: str, choose: random.Random) -> str:
    """A text with one of its numbers changed."""
    numbers = list(re.finditer(r"(?<![\w.])\d+", text))
    if not numbers:
        return text
    found = choose.choice(numbers)
    value = int(found.group())
    other = choose.choice([value + 1, max(value - 1, 0), 2 * value + 3, 0, 10 * value + 1])
    return text[: found.start()] + str(other) + text[found.end() :]


def change_claim(document: Document, choose: random.Random) -> None:
    document["claim"] = another_number(document["claim"], choose)


def tighten_claim(document: Document, choose: random.Random) -> None:
    """A constant more on the smaller side."""
    sign = re.search(r"[<>]=?|==", document["claim"])
    assert sign is not None
    amount = choose.choice(["1/100", "1/7", "1/1000", "3"])
    change = f" + {amount} " if sign.group()[0] in "<=" else f" - {amount} "
    document["claim"] = (
        document["claim"][: sign.start()] + change + document["claim"][sign.start() :]
    )


def swap_signs(document: Document, choose: random.Random) -> None:
    """Strict for not strict and back, or the other direction, in claim or hypotheses."""
    swapped = {"<=": "<", "<": "<=", ">=": ">", ">": ">="}
    turned = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}
    table = choose.choice([swapped, swapped, turned])
    texts = [document["claim"], *document["hypotheses"]]
    at = choose.randrange(len(texts))
    texts[at] = re.sub(r"<=|>=|<|>", lambda m: table[m.group()], texts[at], count=1)
    document["claim"], *document["hypotheses"] = texts


def change_hypothesis(document: Document, choose: random.Random) -> None:
    given = document["hypotheses"]
    if not given:
        return
    at = choose.randrange(len(given))
    if choose.random() < 0.4:
        del given[at]
    else:
        given[at] = another_number(given[at], choose)


def renumber(document: Document, choose: random.Random) -> None:
    """One number changed wherever it stands, in the claim as in the proofs."""
    text = canonical({k: document[k] for k in ("claim", "hypotheses", "proofs")}).decode()
    numbers = sorted(set(re.findall(r"(?<![\w.])\d+", document["claim"])))
    if not numbers:
        return
    old, new = choose.choice(numbers), str(choose.randint(0, 9))
    document.update(json.loads(re.sub(rf"(?<![\w.]){old}(?![\w.])", new, text)))


def drop_part(document: Document, choose: random.Random) -> None:
    container, key = choose.choice(list(places(document["proofs"])))
    del container[key]


def change_value(document: Document, choose: random.Random) -> None:
    """Another number, type or flag somewhere in the proofs."""
    container, key = choose.choice(list(places(document["proofs"])))
    old = container[key]
    junk = choose.choice([None, True, -1, 10**40, "", "x", "1/0", [], {}, "1e999", [[]], "nan"])
    if isinstance(old, bool):
        container[key] = not old
    elif isinstance(old, int) and choose.random() < 0.7:
        container[key] = old + choose.choice([-2, -1, 1, 2])
    elif isinstance(old, str) and choose.random() < 0.7:
        container[key] = another_number(old, choose)
    else:
        container[key] = junk


def change_rule(document: Document, choose: random.Random) -> None:
    names = sorted({c[k] for one in genuine() for c, k in places(one["proofs"]) if k == "rule"})
    rules = [(c, k) for c, k in places(document["proofs"]) if k == "rule"]
    if rules:
        container, key = choose.choice(rules)
        container[key] = choose.choice(names)


def swap_proofs(document: Document, choose: random.Random) -> None:
    document["proofs"] = copy.deepcopy(choose.choice(genuine())["proofs"])


def swap_parts(document: Document, choose: random.Random) -> None:
    """One proof inside becomes one from anywhere."""
    others = [c[k] for one in genuine() for c, k in places(one["proofs"]) if _is_proof(c[k])]
    inner = [(c, k) for c, k in places(document["proofs"]) if _is_proof(c[k])]
    if inner:
        container, key = choose.choice(inner)
        container[key] = copy.deepcopy(choose.choice(others))


def _is_proof(value: Any) -> bool:
    return isinstance(value, dict) and "rule" in value


def change_example(document: Document, choose: random.Random) -> None:
    for name in document["example"]:
        document["example"][name] = choose.choice(["0", "1", "-1", "1/2", "7", "1/0", "x"])


FALSIFYING: list[Mutation] = [change_claim, tighten_claim, swap_signs, change_hypothesis, renumber]
BENDING: list[Mutation] = [drop_part, change_value, change_rule, swap_proofs, swap_parts]
BENDING += [change_example]


def forged(number: int) -> Document:
    """The certificate number ``number`` with a claim and, mostly, proofs that are not its own."""
    choose = random.Random(f"forgery {number}")
    document = copy.deepcopy(genuine()[number % len(genuine())])
    choose.choice(FALSIFYING)(document, choose)
    for _ in range(choose.choice([0, 1, 1, 2])):
        if document["proofs"]:
            choose.choice(BENDING)(document, choose)
    document["digest"] = digest(document)
    return document


def verdict(document: Document) -> str:
    """Empty when accepted, else why not."""
    try:
        check_form(document)
        recheck(document)
    except (Unusable, Rejected) as error:
        return str(error) or "rejected"
    return ""


@pytest.mark.parametrize("part", range(5))
def test_no_forgery_of_a_false_claim_is_accepted(part: int) -> None:
    false = 0
    for number in range(part * COUNT // 5, (part + 1) * COUNT // 5):
        document = forged(number)
        if verdict(document):
            continue
        point = counterexample(document["claim"], document["hypotheses"])
        assert point is None, (number, document["claim"], document["hypotheses"], point)
    for number in range(part * 20, (part + 1) * 20):
        document = forged(number)
        false += counterexample(document["claim"], document["hypotheses"]) is not None
    assert false >= 8  # most of what is forged here is false indeed


def test_bent_proofs_of_true_claims_are_accepted_or_rejected_but_nothing_else() -> None:
    accepted = 0
    for number in range(COUNT // 4):
        choose = random.Random(f"bent {number}")
        document = copy.deepcopy(genuine()[number % len(genuine())])
        choose.choice(BENDING)(document, choose)
        document["digest"] = digest(document)
        reason = verdict(document)
        accepted += not reason
    assert accepted < COUNT // 8
