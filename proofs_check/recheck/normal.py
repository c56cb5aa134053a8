"""Identities: whether an expression is zero wherever it has a value, and signs of constants.

An expression becomes a formal sum (:mod:`formal`) by rules that keep its value at every point of
the box where it has one; a sum in which everything cancels is then zero there.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from flint import ctx

from proofs_check.recheck.balls import Program
from proofs_check.recheck.constants import PLAIN, Constants, Number
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import PI, Expr, add, call, mul, num, power, var
from proofs_check.recheck.formal import (
    ONE,
    Atom,
    Form,
    Monomial,
    Power,
    Unclear,
    atom,
    single,
    vanishing,
)
from proofs_check.recheck.formal_functions import FUNCTIONS, general_power
from proofs_check.recheck.formal_powers import power as form_power
from proofs_check.recheck.ranges import Range, Ranges
from proofs_check.recheck.sequent import Side
from proofs_check.recheck.univariate import rational_holds

__all__ = ["Constants", "Normal", "Number", "Unclear", "sign", "vanishes"]

_POSITIVE = frozenset({"prime", "pi", "exp"})


def vanishes(expression: Expr, box: Mapping[str, Side]) -> bool:
    """Whether the expression is proved to be 0 at every point of the box where it has a value.

    False proves nothing.
    """
    if expression.number is not None:
        return expression.number == 0
    if _differs(expression, box):
        return False
    try:
        return vanishing(Normal(box).of(expression))
    except (Unclear, OverflowError):
        return False


def sign(expression: Expr) -> int | None:
    """The sign of an expression without variables; None if it has no value or is not decided."""
    if expression.number is not None:
        return (expression.number > 0) - (expression.number < 0)
    try:
        return Constants().of(expression).sign()
    except (Unclear, OverflowError):
        return None


def _differs(expression: Expr, box: Mapping[str, Side]) -> bool:
    """Whether the value at some point of the box is certainly not 0; spares the formal work."""
    program = Program([expression])
    if any(name not in box for name in program.variables):
        return False
    point = {name: _inside(box[name], i) for i, name in enumerate(program.variables)}
    with ctx.workprec(64):
        low, high = program.run({name: (value, value) for name, value in point.items()})[0]
        return bool(low.is_finite() and high.is_finite() and (low > 0 or high < 0))


def _inside(side: Side, index: int) -> Fraction:
    """A point of a side that differs from variable to variable."""
    part = Fraction(271 + 2 * index, 613 + 16 * index)
    if side.low is not None and side.high is not None:
        return side.low + (side.high - side.low) * part
    if side.low is not None:
        return side.low + 2 * part
    return part if side.high is None else side.high - 2 * part


class Normal:
    """Formal sums of expressions on one box, and the signs of their factors."""

    def __init__(self, box: Mapping[str, Side]) -> None:
        self.box = dict(box)
        self.ranges = Ranges(box)
        self._forms: dict[Expr, Form] = {}
        self._signs: dict[tuple[Form, bool], bool] = {}

    def of(self, expression: Expr) -> Form:
        """A form that has the value of the expression wherever the expression has one.

        Raises:
            Unclear: it would be too large, or the expression has no value anywhere.
        """
        for node in expression.nodes():
            if node not in self._forms:
                self._forms[node] = self._part(node, [self._forms[arg] for arg in node.args])
        return self._forms[expression]

    def _part(self, node: Expr, args: list[Form]) -> Form:
        if node.op == "var":
            return single(atom("var", str(node.value)))
        if node.op in PLAIN:
            return PLAIN[node.op](node, args)
        if node.op == "^":
            exponent = node.args[1].number
            if exponent is None:
                return general_power(self, args[0], args[1])
            return form_power(self, args[0], exponent)
        rule = FUNCTIONS.get(node.op)
        if rule is None:
            raise Unclear(f"no rule for {node.op}")
        return rule(self, *args)

    # --- signs ----------------------------------------------------------------------------------
    def positive(self, form: Form) -> bool:
        """Whether every value on the box is certainly > 0."""
        return self._sign(form, strict=True)

    def nonnegative(self, form: Form) -> bool:
        """Whether every value on the box is certainly >= 0."""
        return self._sign(form, strict=False)

    def _sign(self, form: Form, *, strict: bool) -> bool:
        value = form.rational
        if value is not None:
            return value > 0 or (value == 0 and not strict)
        key = (form, strict)
        if key not in self._signs:
            self._signs[key] = self._shown(form, strict)
        return self._signs[key]

    def _shown(self, form: Form, strict: bool) -> bool:
        if _plainly(form, strict):
            return True
        found = self.range(form)
        if found.positive if strict else found.nonnegative:
            return True
        return self._polynomial(form, strict)

    def range(self, form: Form) -> Range:
        """The range of a form on the box."""
        return self.ranges.of(written(form))

    def _polynomial(self, form: Form, strict: bool) -> bool:
        """A polynomial in one variable, by its zeros."""
        bases = set(form.atoms())
        if len(bases) != 1 or not all(e == int(e) >= 0 for m in form.terms for _, e in m):
            return False
        (base,) = bases
        if base.kind != "var" or base.args[0] not in self.box:
            return False
        name = str(base.args[0])
        try:
            return rational_holds(written(form), name, self.box[name], strict=strict)
        except Rejected:
            return False


def _plainly(form: Form, strict: bool) -> bool:
    """Positive multiples of even powers and of powers of positive atoms; for > 0 one term has
    positive atoms only.
    """
    if form.complex or any(c < 0 for c in form.terms.values()):
        return False
    if not all(_even_or_positive(a, e) for m in form.terms for a, e in m):
        return False
    return not strict or any(all(a.kind in _POSITIVE for a, _ in m) for m in form.terms)


def _even_or_positive(base: Atom, exponent: Power) -> bool:
    return base.kind in _POSITIVE or (exponent == int(exponent) and int(exponent) % 2 == 0)


# --- forms as expressions -----------------------------------------------------------------------
def written(form: Form) -> Expr:
    """An expression with the value of a real form; cis is written with cosines and sines.

    As the form is real it is the sum of the real parts of its terms.
    """
    terms = []
    for monomial, value in form.terms.items():
        factor = _monomial(monomial)
        if factor is not None:
            terms.append(mul(num(Fraction(int(value.p), int(value.q))), factor))
    return add(*terms)


def _monomial(monomial: Monomial) -> Expr | None:
    """The real part of a product."""
    factors: list[Expr] = []
    angles: list[Expr] = []
    imaginary = False
    for base, exponent in sorted(monomial, key=lambda pair: pair[0].text):
        if base.kind == "i":
            imaginary = not imaginary
        elif base.kind == "cis":
            angles.append(mul(num(exponent), written(base.form)))
        elif base.kind == "exp":
            factors.append(call("exp", mul(num(exponent), written(base.form))))
        else:
            factors.append(power(_atom(base), num(exponent)))
    if angles:
        # the real part of i (cos + i sin) is -sin
        wave = call("sin" if imaginary else "cos", add(*angles))
        factors.append(mul(num(-1), wave) if imaginary else wave)
    elif imaginary:
        return None
    return mul(*factors) if factors else num(1)


def _atom(base: Atom) -> Expr:
    if base.kind == "var":
        return var(str(base.args[0]))
    if base.kind == "prime":
        return num(int(base.args[0]))
    if base.kind == "pi":
        return PI
    args = [written(form) for form in base.args]
    if base.kind == "sum":
        return args[0]
    if base.kind == "pow":
        return power(*args)
    if base.kind == "choose":
        return call("choose", args[0], num(0), *args[1:])
    if base.kind == "hurwitz":
        if base.form == ONE.scaled(2):
            return call("trigamma", args[1])
        raise Unclear("a zeta function")
    return call(base.kind, *args)
