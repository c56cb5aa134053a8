"""The normal form proves identities and nothing else; enclosures hold."""

from fractions import Fraction

import numpy as np
import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.arithmetic.grammar import parse_expression
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.methods.inequality.multivariate.exact import NoRange, sign
from proofs_check.methods.inequality.multivariate.normal import is_zero
from proofs_check.methods.inequality.multivariate.program import Program
from proofs_check.methods.inequality.problem import Interval

F = Fraction
UNIT = {n: Interval(F(1, 100), F(99, 100)) for n in "pqxya"}
LINE = {n: Interval() for n in "pqxya"}

IDENTITIES = [
    "p*log(p/q)+(1-p)*log((1-p)/(1-q))-p*log(p)+p*log(q)-(1-p)*(log(1-p)-log(1-q))",
    "log(exp(x)+exp(x))-x-log(2)",
    "cosh(x)**2-sinh(x)**2-1",
    "sin(x+y)-sin(x)*cos(y)-cos(x)*sin(y)",
    "cos(2*x)-1+2*sin(x)**2",
    "sin(pi/3)-sqrt(3)/2",
    "loggamma(x+2)-loggamma(x)-log(x)-log(x+1)",
    "exp(log(x)/a)-x**(1/a)",
    "sqrt(x**2)-x",
    "sqrt(x/y)*sqrt(x*y)-x",
    "x**1.5-x*sqrt(x)",
    "gamma(x+1)*gamma(1)-x*gamma(x)",
]


@pytest.mark.parametrize("text", IDENTITIES)
def test_identities(text: str) -> None:
    node = parse_expression(text)
    assert is_zero(node, node.symbols(), UNIT)
    assert not is_zero(node + parse_expression("1e-30"), node.symbols(), UNIT)


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x**2)-x",
        "log(x**2)-2*log(x)",
        "abs(x)-x",
        "sqrt(x*y)-sqrt(x)*sqrt(y)",
        "exp(x)-x",
        "sin(x)",
        "max(x,y)-x",
        "asin(sin(x))-x",
        "(x**2)**0.5-x",
    ],
)
def test_what_fails_on_the_line_is_not_an_identity(text: str) -> None:
    node = parse_expression(text)
    assert not is_zero(node, node.symbols(), LINE)


def test_constants_have_signs() -> None:
    assert sign(parse_expression("E+20-20*exp(0)-exp(1)")) == 0
    assert sign(parse_expression("pi-355/113")) == -1
    assert sign(parse_expression("exp(pi*sqrt(163))-262537412640768744")) == -1
    with pytest.raises(NoRange):
        sign(parse_expression("log(-1)"))


FORMS = [
    "exp(-x)*(x+y*x)-cos(x*y)",
    "sqrt(x*x+y+4)*log(5+x-y)",
    "(x-y)**4-3*x*y+x",
    "atan(x/(y+4))",
    "abs(x-y)+max(x,y*y)-min(x,1)",
    "tanh(x)*cosh(y)-sinh(x*y)",
    "x**3*y-x*y**3+1/(3+x)",
    "erf(x)-y**2.5",
    "sin(3*x)*sin(5*y)",
    "loggamma(x+3)+y",
]
POINT = st.fractions(0, 1, max_denominator=50)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FORMS), st.tuples(POINT, POINT, POINT), st.tuples(POINT, POINT, POINT))
def test_enclosures_contain_the_values(
    text: str, first: tuple[F, F, F], second: tuple[F, F, F]
) -> None:
    node = parse_expression(text)
    program = Program((node,), ("x", "y"))
    box = [tuple(sorted((first[0], first[1]))), tuple(sorted((second[0], second[1])))]
    point = [a + t * (b - a) for (a, b), t in zip(box, (first[2], second[2]), strict=True)]
    with ctx.workprec(200):
        values = {n: ball(v, v) for n, v in zip(("x", "y"), point, strict=True)}
        exact = compile_tape([node]).run(values)[0]
    with ctx.workprec(64):
        for low, high in (program.balls(box)[0], program.tight(box)[0]):
            assert not (exact < low)
            assert not (exact > high)
    low = np.array([[float(a) for a, _ in box]]) - 1e-15
    high = np.array([[float(b) for _, b in box]]) + 1e-15
    a, b = program.many(low, high)[0]
    assert not exact < float(a[0]) - 1e-12
    assert not exact > float(b[0]) + 1e-12
