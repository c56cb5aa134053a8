"""Random expressions, boxes and points for property tests of the checker."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from proofs_check.recheck.expression import PI, E, Expr, add, call, mul, num, power, var
from proofs_check.recheck.sequent import Side

_FUNCTIONS = ["exp", "log", "sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh"]
_FUNCTIONS += ["cosh", "tanh", "erf", "erfc", "gamma", "loggamma", "digamma", "abs", "floor"]
_EXPONENTS = [2, 3, 4, 0, -1, -2, Fraction(1, 2), Fraction(-1, 2), Fraction(3, 2), Fraction(1, 3)]
_LEAVES = [var("x"), var("y"), PI, E, *(num(Fraction(n, d)) for n in range(-3, 4) for d in (1, 2))]
SIDES = [
    Side(Fraction(0), None, open_low=True),
    Side(Fraction(0), None),
    Side(),
    Side(Fraction(0), Fraction(1), open_low=True, open_high=True),
    Side(Fraction(-1), Fraction(1)),
    Side(Fraction(1), None, open_low=True),
    Side(None, Fraction(0)),
    Side(Fraction(1, 2), Fraction(3)),
]


def _larger(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.one_of(
        st.builds(add, parts, parts),
        st.builds(lambda a, b: a - b, parts, parts),
        st.builds(mul, parts, parts),
        st.builds(lambda a, e: power(a, num(e)), parts, st.sampled_from(_EXPONENTS)),
        st.builds(lambda f, a: call(f, a), st.sampled_from(_FUNCTIONS), parts),
        st.builds(lambda f, a, b: call(f, a, b), st.sampled_from(["min", "max"]), parts, parts),
        st.builds(power, parts, parts),
    )


expressions: st.SearchStrategy[Expr] = st.recursive(st.sampled_from(_LEAVES), _larger, max_leaves=8)
boxes: st.SearchStrategy[dict[str, Side]] = st.fixed_dictionaries(
    {"x": st.sampled_from(SIDES), "y": st.sampled_from(SIDES)}
)


@st.composite
def points(draw: Any, box: dict[str, Side]) -> dict[str, Fraction]:
    """A rational point of a box, at a closed end now and then."""
    found = {}
    for name, side in box.items():
        start = side.low if side.low is not None else (side.high or Fraction(0)) - 4
        end = side.high if side.high is not None else start + 5
        found[name] = draw(
            st.integers(0, 24)
            .map(lambda k, a=start, b=end: a + (b - a) * Fraction(k, 24))
            .filter(side.contains)
        )
    return found
