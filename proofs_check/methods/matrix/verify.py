"""The independent checker of certificates: expands products, and nothing else.

It shares no code with the finder. A scalar is a pair (numerator, denominator) of FLINT polynomials.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

Word = tuple[int, ...]
Fraction = tuple[Any, Any]
Expansion = dict[Word, Fraction]
SPARE_ATOMS = 32


class _Malformed(ValueError):
    """The certificate is not of the right form."""


def verify_certificate(certificate: Mapping[str, Any]) -> bool:
    """Whether every line is the sum it claims to be, and the last one is lhs - rhs.

    The original relations themselves (lines without terms) are taken from the certificate.
    """
    try:
        return _Checker(certificate).check()
    except (_Malformed, KeyError, IndexError, TypeError, ValueError, ZeroDivisionError):
        return False


@dataclass
class _Checker:
    data: Mapping[str, Any]
    shapes: list[tuple[int, int]] = field(init=False)
    scalars: dict[tuple[bool, Word], int] = field(init=False, default_factory=dict)
    atoms: int = field(init=False)
    ring: Any = field(init=False)

    def __post_init__(self) -> None:
        self.shapes = [(x["rows"], x["cols"]) for x in self.data["letters"]]
        self.atoms = len(self.data["atoms"])
        names = tuple(f"a{i}" for i in range(self.atoms + SPARE_ATOMS))
        self.ring = fmpq_mpoly_ctx.get(names, Ordering.lex)
        for index, atom in enumerate(self.data["atoms"]):
            if atom["word"] is not None:
                self._name(tuple(atom["word"]), atom["kind"] == "trace", index)

    def check(self) -> bool:
        lines = self.data["lines"]
        checked = [self._read(line["polynomial"]) for line in lines]
        for position, line in enumerate(lines):
            if line["terms"] and not self._line_holds(position, line, checked):
                return False
        lhs, rhs = self._read(self.data["lhs"]), self._read(self.data["rhs"])
        shapes = {self._shape(self.data[key]) for key in ("lhs", "rhs")}
        shapes.add(self._shape(lines[-1]["polynomial"]))
        self._add(lhs, rhs, -1)
        self._add(lhs, checked[-1], -1)
        return len(shapes) == 1 and bool(lines[-1]["terms"] or not checked[-1]) and _vanishes(lhs)

    def _line_holds(self, position: int, line: Any, checked: list[Expansion]) -> bool:
        total: Expansion = {}
        self._add(total, checked[position], -1)
        shape = self._shape(line["polynomial"])
        for term in line["terms"]:
            source = term["line"]
            if not 0 <= source < position:
                raise _Malformed("a line rests on a later one")
            poly_shape = self._shape(self.data["lines"][source]["polynomial"])
            self._add(total, self._expand(term, checked[source], poly_shape, shape), 1)
        return _vanishes(total)

    def _expand(
        self, term: Any, poly: Expansion, inner: tuple[int, int], outer: tuple[int, int]
    ) -> Expansion:
        factor = self._fraction(term["coefficient"])
        left, right = tuple(term["left"]), tuple(term["right"])
        result: Expansion = {}
        if inner == (0, 0):
            # A scalar line: its value times the word, whatever stands to the left and right.
            value = poly.get((), self._constant(0))
            scale, word = self._normal(left + right, outer)
            self._add(result, {word: _times(_times(factor, value), scale)}, 1)
            return result
        shape = self._product_shape(left, inner, right)
        if term["traced"] and (shape[0] != shape[1] or outer != (0, 0)):
            raise _Malformed("the trace of a matrix that is not square")
        if not term["traced"] and shape != outer:
            raise _Malformed("a term of the wrong shape")
        for middle, value in poly.items():
            word = left + middle + right
            scaled = _times(factor, value)
            if term["traced"]:
                self._add(result, {(): _times(scaled, self._trace(word, shape[0]))}, 1)
            else:
                scale, rest = self._normal(word, outer)
                self._add(result, {rest: _times(scaled, scale)}, 1)
        return result

    # --- words ------------------------------------------------------------------------------

    def _sizes(self, code: int) -> tuple[int, int]:
        rows, cols = self.shapes[code // 2]
        return (cols, rows) if code % 2 else (rows, cols)

    def _flip(self, word: Word) -> Word:
        return tuple(self._flip_letter(code) for code in reversed(word))

    def _flip_letter(self, code: int) -> int:
        if not self.data["letters"][code // 2]["symmetric"]:
            return code ^ 1
        if len(set(self.shapes[code // 2])) > 1:
            raise _Malformed("a symmetric letter that is not square")
        return code

    def _check_word(self, word: Word, shape: tuple[int, int]) -> None:
        """The inner dimensions agree and the outer ones are those of the shape."""
        sizes = [shape[0]]
        for code in word:
            rows, cols = self._sizes(code)
            if rows != sizes[-1]:
                raise _Malformed("inner dimensions differ")
            sizes.append(cols)
        if sizes[-1] != shape[1]:
            raise _Malformed("a word of the wrong shape")

    def _product_shape(self, left: Word, inner: tuple[int, int], right: Word) -> tuple[int, int]:
        rows = self._sizes(left[0])[0] if left else inner[0]
        cols = self._sizes(right[-1])[1] if right else inner[1]
        self._check_word(left, (rows, inner[0]))
        self._check_word(right, (inner[1], cols))
        return rows, cols

    def _normal(self, word: Word, shape: tuple[int, int]) -> tuple[Fraction, Word]:
        """The scalars between places of dimension 1 commute; take them out."""
        self._check_word(word, shape)
        places = [i for i, c in enumerate(word) if self._sizes(c)[0] == 0]
        if word and self._sizes(word[-1])[1] == 0:
            places.append(len(word))
        factor = self._constant(1)
        for start, end in itertools.pairwise(places):
            factor = _times(factor, self._scalar(word[start:end], False))
        return factor, word[: places[0]] + word[places[-1] :] if places else word

    def _trace(self, word: Word, size: int) -> Fraction:
        if not word:
            return self._fraction(self.data["sizes"][str(size)])
        places = [i for i, c in enumerate(word) if self._sizes(c)[0] == 0]
        if not places:
            return self._scalar(word, True)
        return self._normal(word[places[0] :] + word[: places[0]], (0, 0))[0]

    def _scalar(self, word: Word, traced: bool) -> Fraction:
        if (traced, word) not in self.scalars:
            if self.atoms >= len(self.ring.gens()):
                raise _Malformed("too many scalars")
            self._name(word, traced, self.atoms)
            self.atoms += 1
        return self.ring.gens()[self.scalars[(traced, word)]], self.ring.constant(1)

    def _name(self, word: Word, traced: bool, index: int) -> None:
        """A scalar equals its transpose; a trace also each rotation."""
        rows = self._sizes(word[0])[0]
        self._check_word(word, (rows, rows if traced else 0))
        for reading in (word, self._flip(word)):
            for i in range(len(word) if traced else 1):
                self.scalars.setdefault((traced, reading[i:] + reading[:i]), index)

    # --- scalars and sums -------------------------------------------------------------------

    def _shape(self, poly: Any) -> tuple[int, int]:
        return poly["rows"], poly["cols"]

    def _read(self, poly: Any) -> Expansion:
        result: Expansion = {}
        for letters, value in poly["terms"]:
            factor, word = self._normal(tuple(letters), self._shape(poly))
            self._add(result, {word: _times(factor, self._fraction(value))}, 1)
        return result

    def _constant(self, value: int) -> Fraction:
        return self.ring.constant(fmpq(value)), self.ring.constant(fmpq(1))

    def _fraction(self, value: Any) -> Fraction:
        num, den = (self._sum_of(part) for part in value)
        if den.is_zero():
            raise ZeroDivisionError
        return num, den

    def _sum_of(self, monomials: Any) -> Any:
        table: dict[tuple[int, ...], Any] = {}
        for coefficient, powers in monomials:
            exponents = [0] * len(self.ring.gens())
            for atom, power in powers:
                if not 0 <= atom < len(self.data["atoms"]) or power < 0:
                    raise _Malformed("an unknown scalar")
                exponents[atom] += power
            top, _, bottom = str(coefficient).partition("/")
            value = fmpq(int(top), int(bottom or "1"))
            table[tuple(exponents)] = table.get(tuple(exponents), fmpq(0)) + value
        return self.ring.from_dict(table)

    def _add(self, total: Expansion, extra: Expansion, sign: int) -> None:
        for word, (num, den) in extra.items():
            old_num, old_den = total.get(word, self._constant(0))
            if old_den == den:
                total[word] = (old_num + sign * num, den)
            else:
                common = old_den.gcd(den)
                left, right = den // common, old_den // common
                total[word] = (old_num * left + sign * num * right, old_den * left)


def _times(a: Fraction, b: Fraction) -> Fraction:
    return a[0] * b[0], a[1] * b[1]


def _vanishes(total: Expansion) -> bool:
    return all(num.is_zero() for num, _ in total.values())
