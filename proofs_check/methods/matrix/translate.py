"""From SymPy matrix and scalar expressions to noncommutative polynomials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import sympy
from flint import fmpq
from sympy.matrices.expressions import (
    DiagMatrix,
    Identity,
    Inverse,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    OneMatrix,
    Transpose,
    ZeroMatrix,
)
from sympy.matrices.expressions.applyfunc import ElementwiseApplyFunction

from bounds.errors import ShapeError
from bounds.matrices import PseudoInverse
from proofs_check.methods.matrix.algebra import Algebra, Atom, Polynomial
from proofs_check.methods.matrix.completion import System
from proofs_check.methods.matrix.functions import POWER_LIMIT, Functions
from proofs_check.methods.matrix.letters import LetterFactory
from proofs_check.methods.matrix.outcome import SideConditionError, Unsupported
from proofs_check.methods.matrix.rewriting import Names
from proofs_check.methods.matrix.scalars import ONE, ZERO, Ratio, constant, variable
from proofs_check.methods.matrix.words import UNIT

PAIRS_BEFORE_A_DECISION = 150


@dataclass
class Translator:
    """Reads expressions; every inverse or quotient is accepted only once it is shown to exist."""

    algebra: Algebra
    system: System
    functions: Functions
    letters: LetterFactory
    _matrix_readers: dict[type, Callable[[Any], Polynomial]] = field(init=False)
    _scalar_readers: dict[type, Callable[[Any], Ratio]] = field(init=False)

    def __post_init__(self) -> None:
        self.system.size = self.size
        self._matrix_readers = {
            MatrixSymbol: lambda e: self.letters.symbol(e.name, *self._shape(e)),
            Identity: lambda e: self.algebra.identity(self._shape(e)[0]),
            ZeroMatrix: lambda e: Polynomial(*self._shape(e), {}),
            OneMatrix: lambda e: self.letters.ones_matrix(*self._shape(e)),
            MatAdd: self._sum,
            MatMul: self._product,
            MatPow: self._matrix_power,
            Inverse: lambda e: self.inverse(e.arg),
            Transpose: lambda e: self.algebra.transpose(self.matrix(e.arg)),
            PseudoInverse: lambda e: self.letters.pseudo_inverse(self.settled(e.arg), str(e.arg)),
            ElementwiseApplyFunction: self._elementwise,
            DiagMatrix: lambda e: self.letters.diagonal(self.settled(e.args[0])),
        }
        self._scalar_readers = {
            sympy.Symbol: self._symbol,
            sympy.Dummy: self._symbol,
            sympy.Add: self._scalar_sum,
            sympy.Mul: self._scalar_product,
            sympy.Pow: self._scalar_power,
            sympy.exp: lambda e: self._exp(e.args[0]),
            sympy.log: self._log,
            sympy.Abs: lambda e: self.functions.absolute(self.scalar(e.args[0])),
            sympy.Trace: self._trace,
            sympy.Determinant: lambda e: self.determinant(e.arg),
            sympy.Integral: self._integral,
        }

    # --- matrices ---------------------------------------------------------------------------

    def matrix(self, expr: Any) -> Polynomial:
        """The polynomial of a matrix expression. Raises NotProved or ShapeError."""
        self.system.spend()
        reader = self._matrix_readers.get(type(expr))
        if reader is None:
            raise Unsupported(f"matrix expression {type(expr).__name__}")
        poly = reader(expr)
        if (poly.rows, poly.cols) != self._shape(expr):
            raise ShapeError(str(expr), expr.shape, "the factors give another shape")
        return poly

    def _shape(self, expr: Any) -> tuple[int, int]:
        rows, cols = expr.shape
        return self.algebra.alphabet.dimension(rows), self.algebra.alphabet.dimension(cols)

    def settled(self, expr: Any) -> Polynomial:
        """The polynomial in normal form, as far as the relations known so far go."""
        return self._settle(self.matrix(expr))

    def _settle(self, poly: Polynomial) -> Polynomial:
        self.system.run(PAIRS_BEFORE_A_DECISION)
        normal, terms = self.system.reduce(poly)
        self.functions.used |= self.system.facts_of(term.line for term in terms)
        return normal

    def _sum(self, expr: Any) -> Polynomial:
        result = self.matrix(expr.args[0])
        for arg in expr.args[1:]:
            result = result + self.matrix(arg)
        return result

    def _product(self, expr: Any) -> Polynomial:
        factor, result = ONE(), None
        for arg in expr.args:
            if isinstance(arg, MatrixExpr):
                poly = self.matrix(arg)
                result = poly if result is None else self.algebra.multiply(result, poly)
            else:
                factor = factor * self.scalar(arg)
        if result is None:
            raise Unsupported("a matrix product without matrices")
        return result.scale(factor)

    def _matrix_power(self, expr: Any) -> Polynomial:
        base, exponent = expr.args
        if not isinstance(exponent, sympy.Integer) or not 0 < abs(exponent) <= POWER_LIMIT:
            raise Unsupported(f"matrix power with exponent {exponent}")
        factor = self.matrix(base) if exponent > 0 else self.inverse(base)
        result = factor
        for _ in range(abs(int(exponent)) - 1):
            result = self.algebra.multiply(result, factor)
        return result

    def inverse(self, arg: Any) -> Polynomial:
        """The inverse of a matrix that is shown invertible from the facts."""
        poly = self.matrix(arg)
        if (poly.rows, poly.cols) == (UNIT, UNIT):
            return self.algebra.scalar(self.functions.divide(ONE(), poly.scalar()))
        self.require_invertible(arg, poly)
        definite = self.positive_definite(arg, self._settle(poly))
        return self.letters.inverse(poly, str(arg), definite)

    def require_invertible(self, arg: Any, poly: Polynomial) -> None:
        """Products of invertible matrices are invertible; so are definite and given matrices."""
        normal = self._settle(poly)
        used = self.letters.invertible(normal)
        if used is None:
            used = self.positive_definite(arg, normal)
        if used is not None:
            self.functions.used |= used
            by = ", ".join(sorted(used)) or "no fact needed"
            self.functions.notes.append(f"{arg} is invertible ({by})")
            return
        parts = self._invertible_parts(arg)
        if not parts:
            raise SideConditionError(str(arg), "invertible")
        for part in parts:
            if isinstance(part, MatrixExpr):
                self.require_invertible(part, self.matrix(part))
            else:
                self.functions.require_nonzero(self.functions.reduced(self.scalar(part)))

    def positive_definite(self, arg: Any, normal: Polynomial) -> Names | None:
        """Facts by which M is positive definite, perhaps after taking off terms c X X^T."""
        used = self.letters.positive_definite(normal)
        if used is not None or not isinstance(arg, MatAdd):
            return used
        squares: Names = frozenset()
        for term in arg.args:
            facts = self._square_facts(term)
            if facts is not None:
                normal, squares = normal - self.matrix(term), squares | facts
        used = self.letters.positive_definite(self._settle(normal))
        return None if used is None else used | squares

    def _square_facts(self, term: Any) -> Names | None:
        """Facts by which a product is c X X^T with c >= 0, X being the first half of it."""
        factor, parts = sympy.S.One, [term]
        if isinstance(term, MatMul):
            factor, parts = term.as_coeff_matrices()
        product = [single for part in parts for single in _unrolled(part)]
        half, odd = divmod(len(product), 2)
        facts = self.functions.signs.nonnegative(self.scalar(factor))
        if odd or facts is None:
            return None
        left, right = self.matrix(MatMul(*product[:half])), self.matrix(MatMul(*product[half:]))
        flipped = self.algebra.transpose(right)
        if (left.rows, left.cols) != (flipped.rows, flipped.cols):
            return None
        rest, terms = self.system.reduce(left - flipped)
        return facts | self.system.facts_of(t.line for t in terms) if rest.is_zero else None

    def _invertible_parts(self, arg: Any) -> tuple[Any, ...]:
        """Parts whose invertibility implies that of the whole; empty when there are none."""
        if isinstance(arg, Inverse | Transpose | MatPow):
            return (arg.args[0],)
        if isinstance(arg, MatMul) and all(
            self._square(factor) or not isinstance(factor, MatrixExpr) for factor in arg.args
        ):
            return arg.args  # type: ignore[no-any-return]
        return ()

    def _square(self, arg: Any) -> bool:
        return isinstance(arg, MatrixExpr) and len(set(self._shape(arg))) == 1

    def _elementwise(self, expr: Any) -> Polynomial:
        function = expr.function
        if isinstance(function, sympy.Lambda):
            is_exp = function.expr == sympy.exp(function.variables[0])
        else:
            is_exp = function is sympy.exp
        if not is_exp:
            raise Unsupported(f"elementwise {function}")
        return self.letters.elementwise_exp(self.settled(expr.expr))

    # --- scalars ----------------------------------------------------------------------------

    def scalar(self, expr: Any) -> Ratio:
        """The rational function of a scalar expression. Raises NotProved."""
        self.system.spend()
        if isinstance(expr, sympy.Rational):
            return constant(fmpq(int(expr.p), int(expr.q)))
        if expr is sympy.pi:
            return self.functions.pi()
        if expr is sympy.E:
            return self.functions.e()
        reader = self._scalar_readers.get(type(expr))
        if reader is None:
            raise Unsupported(f"scalar expression {type(expr).__name__}")
        return reader(expr)

    def size(self, index: int) -> Ratio:
        """A dimension as a scalar."""
        return self.scalar(self.algebra.alphabet.dimensions[index])

    def _symbol(self, expr: Any) -> Ratio:
        if expr.is_real is not True:
            raise Unsupported(f"the symbol {expr}, which is not declared real")
        return variable(self.algebra.atom(expr, Atom("symbol", str(expr))))

    def _scalar_sum(self, expr: Any) -> Ratio:
        result = ZERO()
        for arg in expr.args:
            result = result + self.scalar(arg)
        return result

    def _scalar_product(self, expr: Any) -> Ratio:
        result = ONE()
        for arg in expr.args:
            result = result * self.scalar(arg)
        return result

    def _scalar_power(self, expr: Any) -> Ratio:
        base, exponent = expr.args
        if base is sympy.E:
            return self._exp(exponent)
        value, power = self.scalar(base), self.scalar(exponent)
        self.system.run(PAIRS_BEFORE_A_DECISION)
        return self.functions.power(value, power)

    def _exp(self, argument: Any) -> Ratio:
        value = self.scalar(argument)
        self.system.run(PAIRS_BEFORE_A_DECISION)
        return self.functions.exp(value)

    def _log(self, expr: Any) -> Ratio:
        if len(expr.args) != 1:
            raise Unsupported("a logarithm with a base")
        value = self.scalar(expr.args[0])
        self.system.run(PAIRS_BEFORE_A_DECISION)
        return self.functions.log(value)

    def _trace(self, expr: Any) -> Ratio:
        poly = self.matrix(expr.arg)
        if poly.rows != poly.cols:
            raise ShapeError("Trace", expr.arg.shape, "a trace needs a square matrix")
        needs_size = () in poly.terms and poly.rows != UNIT
        return self.algebra.trace(poly, self.size(poly.rows) if needs_size else ONE())

    def determinant(self, arg: Any) -> Ratio:
        """The determinant; products and inverses of square matrices are taken apart."""
        if isinstance(arg, Transpose):
            return self.determinant(arg.arg)
        if isinstance(arg, Inverse):
            self.require_invertible(arg.arg, self.matrix(arg.arg))
            return ONE() / self.functions.reduced(self.determinant(arg.arg))
        if isinstance(arg, MatMul) and all(self._square(factor) for factor in arg.args):
            result = ONE()
            for factor in arg.args:
                result = result * self.determinant(factor)
            return result
        normal = self.settled(arg)
        if normal.rows != normal.cols:
            raise ShapeError("Determinant", arg.shape, "a determinant needs a square matrix")
        if normal.rows == UNIT:
            return normal.scalar()
        return self.functions.determinant(
            normal,
            self.size(normal.rows),
            self.positive_definite(arg, normal),
            self.letters.invertible(normal),
        )

    def _integral(self, expr: Any) -> Ratio:
        integrand, *limits = expr.args
        if len(limits) != 1 or limits[0].args[1:] != (-sympy.oo, sympy.oo):
            raise Unsupported("an integral over anything but the whole line")
        bound = sympy.Dummy(limits[0].args[0].name, real=True)
        atom = self.algebra.atom(bound, Atom("symbol", str(bound)))
        value = self.scalar(integrand.xreplace({limits[0].args[0]: bound}))
        self.system.run(PAIRS_BEFORE_A_DECISION)
        return self.functions.gaussian_integral(self.functions.reduced(value), atom)


def _unrolled(factor: Any) -> list[Any]:
    """A small positive power of a matrix as that many factors."""
    power = factor.exp if isinstance(factor, MatPow) else sympy.S.One
    small = isinstance(power, sympy.Integer) and 1 < power <= POWER_LIMIT
    return [factor.base] * int(power) if small else [factor]
