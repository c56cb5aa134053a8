"""The dispatcher: a certificate is a tree of named rules, and each rule checks one step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proofs_check.recheck.affine import tidied
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Sequent

Data = Mapping[str, Any]
Rule = Callable[[Sequent, "Proof"], None]

# The rules that hand the duty to show definedness down to their sub-proofs, or have no point to
# show it at; all others take it as done, and only ``define`` does it.
KEEPING = frozenset({"put", "gap", "weaken", "tighten", "values", "cut", "empty"})
DEEPEST = 60
MOST_STEPS = 200_000


@dataclass
class Budget:
    """Work that one check may still spend; a forged certificate must not run for ever."""

    left: int = MOST_STEPS

    def spend(self, units: int = 1) -> None:
        """Count work.

        Raises:
            Rejected: nothing is left.
        """
        self.left -= units
        if self.left < 0:
            raise Rejected(f"more than {MOST_STEPS} steps")


@dataclass(frozen=True)
class Proof:
    """One node of a certificate with the means to check those below it."""

    data: Data
    rules: Mapping[str, Rule]
    budget: Budget
    depth: int = 0
    _read: dict[str, Expr] = field(default_factory=dict, repr=False, compare=False)

    def check(self, sequent: Sequent) -> None:
        """Accept silently.

        Raises:
            Rejected: the node does not prove the sequent.
        """
        name = self.text("rule")
        self.budget.spend()
        if self.depth > DEEPEST:
            raise Rejected(f"rules nested deeper than {DEEPEST}")
        rule = self.rules.get(name)
        if rule is None:
            raise Rejected(f"unknown rule {name[:40]!r}")
        if sequent.total and name == "define":
            sequent = replace(sequent, total=False)
        elif sequent.total and name not in KEEPING:
            raise Rejected(f"the goal must be shown to have a value before the rule {name[:40]!r}")
        try:
            rule(tidied(sequent), self)
        except Rejected as error:
            raise error.inside(name) from None

    # --- reading the data --------------------------------------------------------------------
    def get(self, key: str) -> Any:
        """A value that must be there."""
        if key not in self.data:
            raise Rejected(f"the entry {key!r} is missing")
        return self.data[key]

    def text(self, key: str) -> str:
        """A text."""
        found = self.get(key)
        if not isinstance(found, str):
            raise Rejected(f"{key!r} must be a text")
        return found

    def items(self, key: str) -> list[Any]:
        """A list."""
        found = self.get(key)
        if not isinstance(found, list):
            raise Rejected(f"{key!r} must be a list")
        return found

    def expression(self, key: str) -> Expr:
        """An expression, given as text."""
        return self.read(self.get(key))

    def read(self, text: Any) -> Expr:
        """Text as an expression."""
        if not isinstance(text, str):
            raise Rejected("an expression must be a text")
        if text not in self._read:
            self._read[text] = read_expression(text)
        return self._read[text]

    def variable(self, key: str, sequent: Sequent) -> str:
        """The name of a variable of the sequent."""
        name = self.text(key)
        if name not in sequent.names:
            raise Rejected(f"{name!r} is no variable here")
        return name

    def sub(self, key: str) -> Proof:
        """The proof under ``key``."""
        return self.of(self.get(key))

    def subs(self, key: str, count: int | None = None) -> list[Proof]:
        """The proofs in the list under ``key``."""
        found = self.items(key)
        if count is not None and len(found) != count:
            raise Rejected(f"{count} proofs are needed under {key!r}, not {len(found)}")
        return [self.of(one) for one in found]

    def of(self, data: Any) -> Proof:
        """A proof node below this one."""
        if not isinstance(data, Mapping):
            raise Rejected("a proof must be an object with a rule")
        return Proof(data, self.rules, self.budget, self.depth + 1, self._read)
