"""Other forms of a goal: rewritten, products, a root taken apart, expansions, new variables.

Each rule verifies by an exact identity that the goal is the form given, and that the form has a
value wherever the goal has one (``presence``): the identity says nothing elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from proofs_check.recheck import normal
from proofs_check.recheck.entries import fraction, side_of
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import HALF, Expr, add, mul, neg, num, power, replaced, var
from proofs_check.recheck.kernel import Proof, Rule
from proofs_check.recheck.presence import show_present
from proofs_check.recheck.ranges import Ranges, range_of
from proofs_check.recheck.sequent import Sequent

_LARGEST_POWER = 200


def rewrite(s: Sequent, p: Proof) -> None:
    """``{"goal": text, "proof": proof}``: the goal written in another way.

    The new form has the value of the goal wherever the goal has one, so definedness stays.
    """
    goal = p.expression("goal")
    if goal != s.goal:
        _check_identity(goal - s.goal, s)
        show_present(goal, s)
    p.sub("proof").check(replace(s, goal=goal))


def factors(s: Sequent, p: Proof) -> None:
    """``{"factors": [[text, exponent, "+"|"-"|"square", proof?], ...], "constant"?: text}``.

    The goal is c * product of f^e with c > 0; "+" comes with a proof of f >= 0, "-" of -f >= 0
    (strict ones for a strict goal), "square" is an even power and needs a goal that is not strict.
    Where f^e with e < 0 has a value f is not 0, so that its sign is strict.
    """
    constant = p.expression("constant") if "constant" in p.data else num(1)
    if normal.sign(constant) != 1:
        raise Rejected("the constant must be > 0")
    parts = [_factor(p, entry, s) for entry in p.items("factors")]
    sign = 1
    powers = [constant]
    for factor, exponent, kind, _ in parts:
        sign = -sign if kind == "-" and exponent % 2 else sign
        powers.append(power(factor, num(exponent)))
    if sign < 0:
        raise Rejected("the product has an odd number of negative factors")
    product = mul(*powers)
    _check_identity(product - s.goal, s)
    show_present(product, s)
    for factor, _, kind, proof in parts:
        if proof is not None:
            goal = factor if kind == "+" else neg(factor)
            proof.check(s.showing(goal, s.strict, defined=s.defined))


def _factor(p: Proof, entry: Any, s: Sequent) -> tuple[Expr, int, str, Proof | None]:
    if not isinstance(entry, list) or len(entry) not in (3, 4):
        raise Rejected("a factor must be [text, exponent, sign, proof]")
    text, exponent, kind = entry[:3]
    if type(exponent) is not int or not 0 < abs(exponent) <= _LARGEST_POWER:
        raise Rejected(f"an exponent must be a whole number up to {_LARGEST_POWER}, not 0")
    if kind not in ("+", "-", "square"):
        raise Rejected("a factor must be '+', '-' or 'square'")
    if kind != "square":
        if len(entry) != 4:
            raise Rejected("a factor of a certain sign needs a proof")
        return p.read(text), exponent, kind, p.of(entry[3])
    if exponent % 2 or s.strict:
        raise Rejected("only even powers are squares, and they may be 0")
    return p.read(text), exponent, kind, None


def unrooted(s: Sequent, p: Proof) -> None:
    """``{"rest": P, "factor": Q, "radicand": R, "bottom": B, "root": bool, "positive", "proofs"}``.

    The goal is (P + Q sqrt(R))/B. ``positive`` proves B > 0. With ``root`` false the proofs show
    P^2 - Q^2 R >= 0, -Q >= 0 and P >= 0: then P >= |Q| sqrt(R). With ``root`` true they show
    Q^2 R - P^2 >= 0 and Q >= 0: then Q sqrt(R) >= |P|.
    """
    if s.strict:
        raise Rejected("only for goals that are not strict")
    rest, factor, radicand, bottom = (
        p.expression(key) for key in ("rest", "factor", "radicand", "bottom")
    )
    top = add(rest, mul(factor, power(radicand, num(HALF))))
    _check_identity(top - mul(s.goal, bottom), s)
    show_present(add(top, bottom), s)
    root = p.get("root")
    if not isinstance(root, bool):
        raise Rejected("the entry 'root' must be true or false")
    squared = mul(rest, rest) - mul(factor, factor, radicand)
    goals = [neg(squared), factor] if root else [squared, neg(factor), rest]
    p.sub("positive").check(s.showing(bottom, True, defined=s.defined))
    for goal, proof in zip(goals, p.subs("proofs", len(goals)), strict=True):
        proof.check(s.showing(goal, False, defined=s.defined))


def expanded(s: Sequent, p: Proof) -> None:
    """``{"atom": E, "start": number, "coefficients": [texts], "bottom": B, "positive", "proofs"}``.

    The goal is sum_k c_k (E - start)^k / B, where E >= start by its range; ``positive`` proves
    B > 0, the other proofs c_k >= 0 (c_0 > 0 for a strict goal).
    """
    atom, bottom = p.expression("atom"), p.expression("bottom")
    start = num(fraction(p.get("start")))
    coefficients = [p.read(text) for text in p.items("coefficients")]
    if not 0 < len(coefficients) <= _LARGEST_POWER:
        raise Rejected(f"there must be 1 to {_LARGEST_POWER} coefficients")
    terms = [mul(c, power(atom - start, num(k))) if k else c for k, c in enumerate(coefficients)]
    total = add(*terms)
    _check_identity(total - mul(s.goal, bottom), s)
    show_present(add(total, atom, bottom), s)
    if not range_of(atom - start, dict(s.box)).nonnegative:
        raise Rejected("the atom may be smaller than the start")
    p.sub("positive").check(s.showing(bottom, True, defined=s.defined))
    for k, proof in enumerate(p.subs("proofs", len(coefficients))):
        strict = s.strict and k == 0
        proof.check(s.showing(coefficients[k], strict, defined=s.defined))


def abstracted(s: Sequent, p: Proof) -> None:
    """``{"name": x, "inner": u, "side": [low, high, open, open], "proof"}``: u(x) as a variable.

    The variable occurs in the goal only inside u; then the goal is a function of u and of the other
    variables, and u lies in the side by its exact range. The new variable has the old name.
    Facts about the old one are given up; definedness has to be shown again, as the side may hold
    more than the values of u.
    """
    name, inner = p.variable("name", s), p.expression("inner")
    side = side_of(p.get("side"))
    ranges = Ranges(dict(s.box))
    found = ranges.of(inner)
    if not ranges.within(found, side):
        raise Rejected("the inner function may leave the side given")
    unused = var("")
    goal = replaced(s.goal, {inner: unused})
    if name in goal.variables():
        raise Rejected(f"{name} occurs outside the inner function")
    sub = Sequent(
        replaced(goal, {unused: var(name)}),
        s.strict,
        tuple((n, side if n == name else old) for n, old in s.box),
        tuple(f for f in s.facts if name not in f.expression.variables()),
        s.integers - {name},
    )
    p.sub("proof").check(sub)


def _check_identity(difference: Expr, s: Sequent) -> None:
    if not normal.vanishes(difference, dict(s.box)):
        raise Rejected("the form given is not the goal")


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "rewrite": rewrite,
        "factors": factors,
        "unrooted": unrooted,
        "expanded": expanded,
        "abstracted": abstracted,
    }
)
