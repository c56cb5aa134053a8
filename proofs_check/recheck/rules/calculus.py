"""Monotone, concave and convex variables, homogeneity, integrals from faces.

All these rules go along segments on which the goal must have a value throughout, so they need a
goal that is known to be defined. Sub-statements about slopes are defined too: their conditions are
shown by ``smoothness``. With ``"inside": true`` slopes are looked at without the ends of the
variable's side, which is enough as the goal is continuous on the closed segment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from proofs_check.recheck.affine import affine
from proofs_check.recheck.derivative import derivative
from proofs_check.recheck.entries import side_of
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import ONE, ZERO, Expr, add, mul, neg, num, replaced, var
from proofs_check.recheck.hypotheses import implied
from proofs_check.recheck.kernel import Proof, Rule
from proofs_check.recheck.normal import vanishes
from proofs_check.recheck.ranges import range_of
from proofs_check.recheck.sequent import Sequent, Side, everywhere
from proofs_check.recheck.smoothness import kinked, show_kinks_apart, show_smooth

_HIGHEST_ORDER = 8


def monotone(s: Sequent, p: Proof) -> None:
    """``{"name", "end": "low"|"high", "inside", "smooth", "slope": proof, "face": proof}``.

    Where the slope towards the end is <= 0 the goal is at least its value at the end. The segment
    from a point to the end stays in the region: facts must be affine and not fall on the way, or
    free of the variable. On the closed segment the goal is continuous, and differentiable but for
    finitely many kinks, at which its slope has no value.

    An end that is not in the side is added to it; then the face must show that the goal has a value
    there, which makes it continuous there.
    """
    name = _moved(s, p)
    s = _binding(s)
    low, end = _end(s, p, name)
    _facts_kept(s, name, down=low)
    region = _slopes_region(s, p, name)
    show_smooth(s.goal, name, region, p)
    show_kinks_apart(s.goal, name, region)
    slope = derivative(s.goal, name)
    away = region.showing(slope if low else neg(slope), False, defined=not kinked(s.goal, name))
    p.sub("slope").check(away)
    p.sub("face").check(_face(s, name, end))


def concave(s: Sequent, p: Proof) -> None:
    """``{"name", "inside", "smooth", "bend": proof, "low": proof, "high": proof}``.

    A continuous function on a closed segment with second derivative <= 0 inside is at least the
    smaller of its values at the ends. Facts must be free of the variable.
    """
    name = _moved(s, p)
    s = _binding(s)
    _facts_free(s, name)
    side = s.side(name)
    if side.low is None or side.high is None:
        raise Rejected(f"the side of {name} must be bounded")
    region = _slopes_region(s, p, name)
    bend = _derivatives(s.goal, name, 2, region, p)[2]
    p.sub("bend").check(region.showing(neg(bend), False, defined=True))
    p.sub("low").check(_face(s, name, side.low))
    p.sub("high").check(_face(s, name, side.high))


def convex(s: Sequent, p: Proof) -> None:
    """``{"name": x, "at": text, "side", "inside", "smooth", "bend", "value", "wide", "face"}``.

    For fixed other variables let h(x) be the goal and c the value of ``at``, which is free of x. If
    h'(c) = 0 and h'' >= 0 between x and c then h(x) >= h(c), so ``face``, the statement at x = c,
    decides. Facts must be free of x; they then hold all the way to c.

    ``side`` (by default that of x) holds the side of x and all values of c, the latter by exact
    ranges. If it is wider, ``wide`` shows that 0 * goal >= 0 on the wider region in which the goal
    has a value. Unless c is a polynomial ``value`` shows in the same way that it always has a
    value. With ``inside``, c must never be an end.
    """
    name = _moved(s, p)
    s = _binding(s)
    _facts_free(s, name)
    at = p.expression("at")
    rest = replace(s, box=tuple((n, side) for n, side in s.box if n != name))
    if not at.variables() <= set(rest.names):
        raise Rejected(f"the place must be an expression in variables other than {name}")
    if not everywhere(at):
        p.sub("value").check(replace(rest.showing(mul(ZERO, at), False), total=True))
    region = _made_defined(s.with_side(name, _wider(s.side(name), p)), p, "wide")
    inner = _slopes_region(region, p, name)
    if not range_of(at, dict(rest.box)).outward().within(inner.side(name)):
        raise Rejected(f"{name} may not get as far as the place where the slope vanishes")
    _, slope, bend = _derivatives(s.goal, name, 2, inner, p)
    values = {var(name): at}
    if not vanishes(replaced(slope, values), dict(rest.box)):
        raise Rejected(f"the slope in {name} does not vanish there")
    p.sub("bend").check(inner.showing(bend, False, defined=True))
    # Every point of ``rest`` comes from a point of the region in which the goal has a value.
    p.sub("face").check(replace(rest, goal=replaced(s.goal, values), defined=True))


def homogeneous(s: Sequent, p: Proof) -> None:
    """``{"unit": name, "degree": text, "smooth", "proof": proof}``: the variable may be set to 1.

    All variables run through (0, oo) or [0, oo), the unit through (0, oo). Along a ray from 0
    through a point with all variables > 0 the goal f satisfies t d/dt f(t x) = k f(t x) by the
    Euler identity sum x_i f_i = k f, so that f(t x) = t^k f(x); at points where some variables are
    0 this holds by continuity. So the sign is that at the point of the ray where the unit is 1.
    """
    s = _binding(s)
    if not s.defined or s.integers or s.facts:
        raise Rejected("the goal must be defined, and facts and whole numbers are not covered")
    unit = p.variable("unit", s)
    if any(side.low != 0 or side.high is not None for _, side in s.box):
        raise Rejected("every variable must run from 0 to infinity")
    if not s.side(unit).open_low:
        raise Rejected(f"{unit} may be 0")
    degree = p.expression("degree").number
    if degree is None:
        raise Rejected("the degree must be a number")
    inner = replace(s, box=tuple((n, replace(side, open_low=True)) for n, side in s.box))
    terms = []
    for name in s.names:
        terms.append(mul(var(name), _derivatives(s.goal, name, 1, inner, p)[1]))
    if not vanishes(add(*terms, mul(num(-degree), s.goal)), dict(inner.box)):
        raise Rejected(f"the goal is not homogeneous of degree {degree}")
    p.sub("proof").check(s.put(unit, ONE))


def integrated(s: Sequent, p: Proof) -> None:
    """``{"name", "end": "low"|"high", "order": k, "smooth", "slope": proof, "closed": proof}``.

    The goal and its first k - 1 derivatives vanish at the end; the k-th, away from the end, is
    >= 0: integrate k times from the end. Facts as for ``monotone``. If the end is not in the side
    it is added, and ``closed`` shows that 0 * goal >= 0 with the end, where the goal has a value.
    """
    name = _moved(s, p)
    if s.strict:
        raise Rejected("the goal is 0 at the end")
    s = _binding(s)
    low, end = _end(s, p, name)
    _facts_kept(s, name, down=low)
    order = p.get("order")
    if not isinstance(order, int) or isinstance(order, bool) or not 1 <= order <= _HIGHEST_ORDER:
        raise Rejected(f"the order must be a whole number from 1 to {_HIGHEST_ORDER}")
    region = _made_defined(_closed(s, name, end), p, "closed")
    slopes = _derivatives(s.goal, name, order, region, p)
    box = {n: side for n, side in s.box if n != name}
    for k, slope in enumerate(slopes[:-1]):
        if not vanishes(replaced(slope, {var(name): num(end)}), box):
            raise Rejected(f"the derivative of order {k} does not vanish at {name} = {end}")
    away = slopes[-1] if low or order % 2 == 0 else neg(slopes[-1])
    p.sub("slope").check(region.showing(away, False, defined=True))


# --- parts of the rules -----------------------------------------------------------------------
def _moved(s: Sequent, p: Proof) -> str:
    """The variable along which the rule goes."""
    name = p.variable("name", s)
    if not s.defined:
        raise Rejected("the goal is not known to have a value along segments")
    if name in s.integers:
        raise Rejected(f"{name} runs through whole numbers only")
    return name


def _binding(s: Sequent) -> Sequent:
    """The same region without facts that the box implies: these must not bind on another box."""
    return replace(s, facts=tuple(fact for fact in s.facts if not implied(fact, s)))


def _end(s: Sequent, p: Proof, name: str) -> tuple[bool, Fraction]:
    """Whether it is the low end, and where it is."""
    which = p.text("end")
    if which not in ("low", "high"):
        raise Rejected("the end must be 'low' or 'high'")
    side = s.side(name)
    value = side.low if which == "low" else side.high
    if value is None:
        raise Rejected(f"{name} has no {which} end")
    return which == "low", value


def _facts_kept(s: Sequent, name: str, *, down: bool) -> None:
    """Facts that hold at a point hold all the way to the end of the variable."""
    for fact in s.facts:
        if name not in fact.expression.variables():
            continue
        found = affine(fact.expression)
        slope = None if found is None else found[0].get(name, Fraction(0))
        if slope is None or (slope > 0 if down else slope < 0):
            raise Rejected(f"the fact {str(fact.expression)[:80]} may fail on the way")


def _facts_free(s: Sequent, name: str) -> None:
    if any(name in fact.expression.variables() for fact in s.facts):
        raise Rejected(f"a fact holds {name}")


def _slopes_region(s: Sequent, p: Proof, name: str) -> Sequent:
    """The region without the ends of the side when the entry ``inside`` is true."""
    inside = p.data.get("inside", False)
    if not isinstance(inside, bool):
        raise Rejected("the entry 'inside' must be true or false")
    if not inside:
        return s
    return s.narrowed(name, replace(s.side(name), open_low=True, open_high=True))


def _derivatives(goal: Expr, name: str, order: int, region: Sequent, p: Proof) -> list[Expr]:
    """The goal and its derivatives, which have values on the region and are what they seem."""
    if kinked(goal, name):
        raise Rejected(f"the goal may have kinks along {name}")
    found = [goal]
    for _ in range(order):
        show_smooth(found[-1], name, region, p)
        found.append(derivative(found[-1], name))
    return found


def _closed(s: Sequent, name: str, end: Fraction) -> Sequent:
    """The sequent with an end put into the side."""
    side = s.side(name)
    if side.low == end:
        side = replace(side, open_low=False)
    if side.high == end:
        side = replace(side, open_high=False)
    return s.with_side(name, side)


def _face(s: Sequent, name: str, end: Fraction) -> Sequent:
    """The statement at an end, with the duty to show definedness where that is not known."""
    face = _closed(s, name, end).put(name, num(end))
    return face if face.defined else replace(face, total=True)


def _made_defined(region: Sequent, p: Proof, key: str) -> Sequent:
    """The region, on which the goal is known to have a value or the proof under ``key`` says so."""
    if region.defined:
        return region
    p.sub(key).check(replace(region, goal=mul(ZERO, region.goal), strict=False, total=True))
    return replace(region, defined=True)


def _wider(side: Side, p: Proof) -> Side:
    """The side given, which must hold the old one, or the old one if none is given."""
    if "side" not in p.data:
        return side
    given = side_of(p.get("side"))
    if not side.within(given):
        raise Rejected("the side is not wider")
    return given


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "monotone": monotone,
        "concave": concave,
        "convex": convex,
        "homogeneous": homogeneous,
        "integrated": integrated,
    }
)
