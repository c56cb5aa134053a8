"""The typed errors of the library: each names the thing at fault, its value and the remedy."""

from __future__ import annotations


class BoundsError(Exception):
    """Base of every error that this library raises on purpose."""


class ParameterError(BoundsError, ValueError):
    """A parameter has a value that the model does not allow."""

    def __init__(self, name: str, value: object, requirement: str) -> None:
        super().__init__(f"{name} = {value}: {requirement}")
        self.name = name
        self.value = value
        self.requirement = requirement


class ShapeError(ParameterError):
    """An array has a shape that does not fit the others."""


class NotRational(BoundsError, ArithmeticError):
    """An operation leaves the rational numbers, so the exact field cannot carry it out."""

    def __init__(self, operation: str) -> None:
        super().__init__(f"{operation} is not a rational number; use the ball field")
        self.operation = operation


class SingularSystemError(BoundsError, ArithmeticError):
    """A linear system is singular, or too ill-conditioned for the field's precision.

    ``certain`` is False in the second case.
    """

    def __init__(self, name: str, reason: str, *, certain: bool = True) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason
        self.certain = certain


class UndefinedError(BoundsError, ArithmeticError):
    """An expression has no value at a point (a logarithm of 0, a quotient by 0, ...).

    ``certain`` is False when an enclosure is too wide to tell.
    """

    def __init__(self, message: str, *, certain: bool = True) -> None:
        super().__init__(message)
        self.certain = certain


class TooLargeError(BoundsError, MemoryError):
    """An array would not fit in memory; said before it is made."""

    def __init__(self, what: str, needed: str, available: str, alternative: str) -> None:
        super().__init__(f"{what}: needs {needed}, {available} are available; {alternative}")
        self.what = what
        self.needed = needed
        self.available = available
        self.alternative = alternative


class CheckpointError(BoundsError):
    """A checkpoint cannot be used; says the file and the cause."""

    def __init__(self, path: str, cause: str) -> None:
        super().__init__(f"{path}: {cause}")
        self.path = path
        self.cause = cause


class UnknownClaimError(BoundsError, KeyError):
    """No claim has the id asked for; ``hint`` says why, or the nearest ids are offered."""

    def __init__(self, claim_id: str, nearest: tuple[str, ...], hint: str = "") -> None:
        self.claim_id = claim_id
        self.nearest = nearest
        guess = f"did you mean {', '.join(nearest)}?" if nearest else ""
        remedy = hint or guess or "the claims of a file are found when the file is named"
        self.message = f"no claim matches {claim_id!r}; {remedy}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class ClaimDefinitionError(BoundsError, ValueError):
    """A claim is put together wrongly (no relation side, an unknown symbol, a doubled id, ...)."""


class ClaimFileError(BoundsError):
    """A claim file cannot be used; says the file, the line and the cause."""

    def __init__(self, path: str, line: int | None, cause: str) -> None:
        self.path = path
        self.line = line
        self.cause = cause
        super().__init__(f"{path}:{line}: {cause}" if line is not None else f"{path}: {cause}")
