"""Random claims, half of them false by construction: nobody may ever prove a false one.

    python tests/benchmarks/random_claims.py --count 100000 --seed 1 --jobs 2

Claim number k depends on the seed and k alone, so a wrong answer is found again with
``--first k --count 1``. A false claim comes with a point at which it fails, by a margin that
mpmath sees with 50 digits; a true claim is built from squares and known inequalities.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath

# (text in t, hypothesis on t, value of t where both sides meet or None); all are true.
KNOWN = [
    ("log(1+t) <= t", "t > -1", Fraction(0)),
    ("exp(t) >= 1+t", "", Fraction(0)),
    ("tanh(t) <= t", "t >= 0", Fraction(0)),
    ("sin(t) <= t", "t >= 0", Fraction(0)),
    ("cosh(t) <= exp(t**2/2)", "", Fraction(0)),
    ("1 - t**2/2 <= cos(t)", "", Fraction(0)),
    ("atan(t) <= t", "t >= 0", Fraction(0)),
    ("sqrt(1+t) <= 1 + t/2", "t >= -1", Fraction(0)),
    ("t*exp(-t) <= exp(-1)", "", Fraction(1)),
    ("log(t) <= t - 1", "t > 0", Fraction(1)),
    ("t*log(t) >= t - 1", "t > 0", Fraction(1)),
    ("t + 1/t >= 2", "t > 0", Fraction(1)),
    ("t*(1-t) <= 1/4", "", Fraction(1, 2)),
    ("erf(t) < 1", "", None),
    ("exp(-t) < 1", "t > 0", None),
    ("1/(1+exp(-t)) < 1", "", None),
    ("abs(sin(t)) <= 1", "", None),
    ("x**2 + y**2 >= 2*x*y", "", None),
    ("abs(x + y) <= abs(x) + abs(y)", "", None),
    ("max(x, y) >= (x + y)/2", "", None),
    ("x*y <= (x**2 + y**2)/2", "", None),
    ("log(exp(x) + exp(y)) >= max(x, y)", "", None),
    ("sqrt(x*y) <= (x + y)/2", "x >= 0 and y >= 0", None),
    ("(x + y)**2 <= 2*(x**2 + y**2)", "", None),
]
LEAVES = ["x", "y", "x", "1", "2", "1/3", "0.7"]
UNARY = ["exp({})", "sin({})", "cos({})", "atan({})", "tanh({})", "abs({})", "({})**2", "({})**3"]
UNARY += ["erf({})", "sqrt(1 + ({})**2)", "log(2 + ({})**2)", "1/(1 + ({})**2)", "cosh({})"]
BINARY = ["({} + {})", "({} - {})", "({} * {})", "max({}, {})", "min({}, {})"]
LARGEST = 10**100
MARGINS = [Fraction(1), Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**6), Fraction(1, 10**12)]


@dataclass(frozen=True)
class Claim:
    """A claim with its truth, and for a false one the point where it fails."""

    relation: str
    hypotheses: tuple[str, ...]
    true: bool
    point: Mapping[str, Fraction] = field(default_factory=dict)
    kind: str = ""


def expression(source: random.Random, depth: int) -> str:
    """A random expression in x and y that has a value everywhere."""
    if depth == 0 or source.random() < 0.15:
        return source.choice(LEAVES)
    if source.random() < 0.5:
        return source.choice(UNARY).format(expression(source, depth - 1))
    parts = (expression(source, depth - 1) for _ in range(2))
    return source.choice(BINARY).format(*parts)


def rational(source: random.Random, low: int = -3, high: int = 3) -> Fraction:
    """A random rational with a small denominator."""
    denominator = source.choice([1, 1, 2, 3, 4, 7, 10])
    return Fraction(source.randint(low * denominator, high * denominator), denominator)


def box(source: random.Random, point: Mapping[str, Fraction]) -> tuple[str, ...]:
    """Ranges that hold the point, some of them half-lines or the whole line."""
    found = []
    for name, value in point.items():
        shape = source.random()
        low, high = (value - abs(rational(source)) for _ in range(2))
        if shape < 0.7:
            found.append(f"{name} >= {low}")
        if shape < 0.5 or shape > 0.9:
            found.append(f"{name} <= {2 * value - high}")
    return tuple(found)


def value_at(text: str, point: Mapping[str, Fraction]) -> Any:
    """The value with 50 digits, by mpmath."""
    names = {n: mpmath.mpf(v.numerator) / v.denominator for n, v in point.items()}
    functions = {n: getattr(mpmath, n) for n in ("exp", "sin", "cos", "atan", "tanh", "erf")}
    functions |= {"sqrt": mpmath.sqrt, "log": mpmath.log, "cosh": mpmath.cosh}
    functions |= {"abs": abs, "min": min, "max": max, "F": lambda a: mpmath.mpf(a)}
    return eval(_exact(text), {"__builtins__": {}}, {**functions, **names})


def _exact(text: str) -> str:
    return text.replace("1/3", "(F(1)/3)").replace("0.7", "(F(7)/10)")


def below_value(source: random.Random) -> Claim:
    """f >= f(p) + margin, which fails at p."""
    point = {"x": rational(source), "y": rational(source)}
    text = expression(source, source.choice([1, 2, 2, 3]))
    with mpmath.workdps(50):
        value = value_at(text, point)
        while abs(value) > LARGEST:  # exp(exp(...)): such a bound has thousands of digits
            text = expression(source, 2)
            value = value_at(text, point)
        scale = 1 + abs(value)
        margin = source.choice(MARGINS)
        bound = Fraction(int(mpmath.floor(value * 10**30)), 10**30)
        bound += margin * Fraction(int(mpmath.ceil(scale)))
    sign, side = source.choice([(">=", bound), (">", bound)])
    return Claim(f"{text} {sign} {side}", box(source, point), False, point, "value")


def strict_at_contact(source: random.Random) -> Claim:
    """A known tight inequality made strict, or lowered by a margin, at a shifted argument."""
    text, hypothesis, contact = source.choice([k for k in KNOWN if k[2] is not None])
    a, b = rational(source, 1, 3), rational(source)
    a = a if a else Fraction(1)
    point = {"x": (contact - b) / a}
    moved = _moved(text, f"({a}*x + {b})")
    if source.random() < 0.5:
        relation = moved.replace("<=", "<").replace(">=", ">")
    else:
        margin = source.choice(MARGINS)
        left, sign, right = moved.partition("<=") if "<=" in moved else moved.partition(">=")
        relation = f"{left}{sign}{right} {'-' if sign == '<=' else '+'} {margin}"
    hypotheses = (_moved(hypothesis, f"({a}*x + {b})"),) if hypothesis else ()
    return Claim(relation, hypotheses, False, point, "contact")


def _moved(text: str, inner: str) -> str:
    """t replaced where it stands alone as a symbol."""
    out, previous = [], ""
    for i, sign in enumerate(text):
        following = text[i + 1] if i + 1 < len(text) else ""
        alone = sign == "t" and not previous.isalpha() and not following.isalpha()
        out.append(inner if alone else sign)
        previous = sign
    return "".join(out)


def known(source: random.Random) -> Claim:
    """A known inequality at a random argument, weakened by a square."""
    text, hypothesis, _ = source.choice(KNOWN)
    inner = f"({rational(source, 1, 3) or 1}*x + {rational(source)})"
    if "t" in text and source.random() < 0.3 and not hypothesis:
        inner = f"({expression(source, 1)})"
    relation, given = _moved(text, inner), _moved(hypothesis, inner)
    return Claim(relation, (given,) if given else (), True, kind="known")


def squares(source: random.Random) -> Claim:
    """A sum of squares of random expressions, perhaps with something positive: >= 0."""
    parts = [f"({expression(source, 2)})**2" for _ in range(source.choice([1, 2]))]
    rest = source.choice(["", " + exp(x)", " + 1/1000", " + abs(y)"])
    point = {"x": Fraction(0), "y": Fraction(0)}
    return Claim(f"{' + '.join(parts)}{rest} >= 0", box(source, point), True, kind="squares")


def claim(seed: int, number: int) -> Claim:
    """Claim ``number`` of a run: even numbers are true, odd ones false."""
    source = random.Random(f"{seed}/{number}")
    if number % 2 == 0:
        return source.choice([known, squares])(source)
    return source.choice([below_value, below_value, strict_at_contact])(source)


@dataclass(frozen=True)
class Outcome:
    """What was found on one claim."""

    number: int
    kind: str
    true: bool
    status: str
    wrong: bool
    seconds: float


def decide(task: tuple[int, int, int]) -> Outcome:
    """One claim, with few work units: a wrong proof needs no long search."""
    from proofs_check import prove

    seed, number, work = task
    given = claim(seed, number)
    verdict = prove(given.relation, given.hypotheses, work=work)
    status = verdict.status.name
    wrong = status == ("REFUTED" if given.true else "PROVED")
    return Outcome(number, given.kind, given.true, status, wrong, verdict.seconds)


def outcomes(seed: int, first: int, count: int, *, work: int, jobs: int) -> Iterator[Outcome]:
    """All outcomes of a run, in the order of the claims."""
    tasks = [(seed, number, work) for number in range(first, first + count)]
    if jobs == 1:
        yield from map(decide, tasks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(decide, tasks, chunksize=50)


def main() -> int:
    """Print wrong answers as they come and the counts at the end; 1 when there was one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=int, default=300, help="units for each method")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    counts: Counter[tuple[bool, str]] = Counter()
    wrong, seconds = 0, 0.0
    run = outcomes(options.seed, options.first, options.count, work=options.work, jobs=options.jobs)
    for outcome in run:
        counts[outcome.true, outcome.status] += 1
        seconds += outcome.seconds
        if outcome.wrong:
            wrong += 1
            print("WRONG", outcome.number, outcome.status, claim(options.seed, outcome.number))
        if sum(counts.values()) % 5000 == 0:
            print(f"{sum(counts.values())} claims, {wrong} wrong", file=sys.stderr, flush=True)
    for (true, status), number in sorted(counts.items()):
        print(f"{'true' if true else 'false':<6} {status:<10} {number}")
    print(f"wrong {wrong} of {sum(counts.values())}, {seconds:.0f} s of proving")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
