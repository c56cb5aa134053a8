"""Where a statement comes from: a paper, a place in it, and which constants are not the paper's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A place in a paper. ``constants`` says whose the constants are if they are not printed."""

    paper: str
    place: str = ""
    constants: str = ""

    def __str__(self) -> str:
        return "; ".join(part for part in (self.paper, self.place, self.constants) if part)


@dataclass(frozen=True)
class Paper:
    """A paper of the bibliography; ``at(place)`` makes a :class:`Source` in it."""

    authors: str
    year: int
    title: str
    reference: str = ""

    def __str__(self) -> str:
        tail = f", {self.reference}" if self.reference else ""
        return f"{self.authors} ({self.year}), {self.title}{tail}"

    def at(self, place: str = "", *, constants: str = "") -> Source:
        """The source for a statement at ``place``."""
        return Source(str(self), place, constants)


ATTENTION_PAPER = Paper(
    "Y. Zhang, B. Liu, Q. Cai, L. Wang, Z. Wang",
    2022,
    "An Analysis of Attention via the Lens of Exchangeability and Latent Variable Models",
    "arXiv:2212.14852",
)
LEHMANN_SCHEFFE = Paper(
    "E. L. Lehmann, H. Scheffé", 1950, "Completeness, similar regions, and unbiased estimation"
)
DAVIDSON_SZAREK = Paper(
    "K. R. Davidson, S. J. Szarek",
    2001,
    "Local operator theory, random matrices and Banach spaces",
)
EDELMAN_ET_AL = Paper(
    "B. L. Edelman, S. Goel, S. Kakade, C. Zhang",
    2022,
    "Inductive Biases and Variable Creation in Self-Attention Mechanisms",
    "arXiv:2110.10090",
)
MUIRHEAD = Paper("R. J. Muirhead", 1982, "Aspects of Multivariate Statistical Theory")
