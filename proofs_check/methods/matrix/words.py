"""Letters and words: the free monoid (with dimensions) in which matrix products are written.

A word is a tuple of letter codes. Code ``2 k`` is the k-th letter, ``2 k + 1`` its transpose; the
two agree for a letter known to be symmetric. A place in a word where the inner dimension is 1 is
a *cut*: what lies between two cuts is a scalar and commutes with everything.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import sympy

Word = tuple[int, ...]
OrderKey = tuple[tuple[tuple[int, int], ...], int, int, Word]
UNIT = 0  # the index of the dimension 1


@dataclass(frozen=True)
class Letter:
    """A matrix of shape rows x cols; ``inner`` are the scalar atoms its definition depends on.

    ``heavy`` is 0, or for an inverse the size of what it inverts; ``positive`` says elementwise.
    """

    name: str
    rows: int
    cols: int
    symmetric: bool = False
    heavy: int = 0
    positive: bool = False
    inner: frozenset[int] = frozenset()


@dataclass
class Alphabet:
    """The letters and dimensions of one proof."""

    letters: list[Letter] = field(default_factory=list)
    dimensions: list[Any] = field(default_factory=lambda: [sympy.S.One])
    _dimension_index: dict[Any, int] = field(default_factory=lambda: {sympy.S.One: UNIT})

    def dimension(self, size: Any) -> int:
        """The index of a dimension; two sizes are the same iff their expansions are."""
        expanded = sympy.expand(size)
        if expanded not in self._dimension_index:
            self._dimension_index[expanded] = len(self.dimensions)
            self.dimensions.append(expanded)
        return self._dimension_index[expanded]

    def add(self, letter: Letter) -> int:
        """Put in a new letter and return its code."""
        self.letters.append(letter)
        return 2 * (len(self.letters) - 1)

    def letter(self, code: int) -> Letter:
        return self.letters[code // 2]

    def rows(self, code: int) -> int:
        letter = self.letters[code // 2]
        return letter.cols if code % 2 else letter.rows

    def cols(self, code: int) -> int:
        letter = self.letters[code // 2]
        return letter.rows if code % 2 else letter.cols

    def transpose(self, word: Word) -> Word:
        return tuple(c if self.letter(c).symmetric else c ^ 1 for c in reversed(word))

    def split(self, word: Word) -> tuple[list[Word], Word]:
        """The scalar factors between cuts, and what remains of the word without them."""
        if not word:
            return [], word
        cuts = [0] if self.rows(word[0]) == UNIT else []
        cuts += [i + 1 for i, code in enumerate(word) if self.cols(code) == UNIT]
        if len(cuts) < 2:
            return [], word
        scalars = [word[i:j] for i, j in itertools.pairwise(cuts)]
        return scalars, word[: cuts[0]] + word[cuts[-1] :]

    def has_inner_cut(self, word: Word) -> int | None:
        """The position of the cut strictly inside a word, if there is one."""
        inner = (i + 1 for i, c in enumerate(word[:-1]) if self.cols(c) == UNIT)
        return next(inner, None)

    def order_key(self, word: Word) -> OrderKey:
        """A multiplicative well-order: heavy letters (inverses) count before everything else.

        The inverse of a larger expression weighs more, so that completion expresses it by that of
        a smaller one (Woodbury, Sherman-Morrison). Then comes the size (a vector weighs 1, a
        matrix 2), a sum that does not change under transposition, and the lexicographic order.
        """
        weights = ((self.letter(c).heavy, c) for c in word)
        heavy = tuple(sorted((w for w in weights if w[0]), reverse=True))
        size = sum(1 if UNIT in (self.rows(c), self.cols(c)) else 2 for c in word)
        return heavy, size, sum(self._weight(c) for c in word), word

    def _weight(self, code: int) -> int:
        # The ones (and elementwise exponentials) are smallest: v = 1 replaces v, not 1.
        return 0 if self.letters[code // 2].positive else code // 2 + 1

    def scalar_form(self, word: Word) -> Word:
        """The representative of a 1x1 word, which equals its own transpose."""
        return min(word, self.transpose(word), key=self.order_key)

    def trace_form(self, word: Word) -> Word:
        """The representative of a cyclic word up to rotation and transposition."""
        both = (word, self.transpose(word))
        return min((w[i:] + w[:i] for w in both for i in range(len(w))), key=self.order_key)

    def show(self, word: Word) -> str:
        marks = (self.letter(c).name + ("'" if c % 2 else "") for c in word)
        return " ".join(marks) or "I"
