"""Certificate files: their format, their digest against accidents, and the check of one.

A file is a JSON object with the keys of ``KEYS``; docs/certificates.md describes each. The digest
only finds accidents: whoever forges a file can write a new one, and then the rules must reject it.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from proofs_check.recheck.errors import Rejected

FORMAT = "proofs-check certificate"
VERSION = 1
MOST_BYTES = 64 * 2**20
KEYS = frozenset(
    {"format", "version", "claim", "hypotheses", "example", "proofs", "made_by", "digest"}
)
ACCEPTED, REJECTED = "accepted", "rejected"
DAMAGED, FOREIGN, MISSING = "damaged", "no certificate", "cannot be read"
_LONGEST_NUMBER = 4_000
_WORDS = MappingProxyType({str: "text", list: "list", dict: "JSON object"})
_FORMS = MappingProxyType(
    {"claim": str, "hypotheses": list, "example": dict, "proofs": list}
    | {"made_by": dict, "digest": str}
)

Document = Mapping[str, Any]


class Unusable(Exception):
    """Not even a certificate: ``status`` is DAMAGED, FOREIGN or MISSING, the message says why."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass(frozen=True)
class Finding:
    """What the check of a file found. ``where`` leads to the rule that rejects."""

    file: str
    status: str
    claim: str = ""
    hypotheses: tuple[str, ...] = ()
    reason: str = ""
    where: tuple[str, ...] = ()
    seconds: float = 0.0


def recheck_file(path: str) -> Finding:
    """Read a file and check what it claims; whatever is wrong with it becomes a finding."""
    started = time.perf_counter()
    finding = Finding(path, ACCEPTED)
    try:
        document = read(_content(Path(path)))
        finding = replace(
            finding, claim=document["claim"], hypotheses=tuple(document["hypotheses"])
        )
        recheck(document)
    except Unusable as error:
        finding = replace(finding, status=error.status, reason=error.reason)
    except Rejected as error:
        finding = replace(finding, status=REJECTED, reason=error.reason, where=error.where)
    return replace(finding, seconds=time.perf_counter() - started)


def recheck(document: Document) -> None:
    """Accept silently: its proofs prove its claim, and its example meets its hypotheses.

    Raises:
        Rejected: they do not. A rule that stumbles over its data does not accept either.
        MemoryError: memory has run out.
    """
    try:
        from proofs_check.recheck.claims import check_claim, meets

        if not meets(document["claim"], document["hypotheses"], document["example"]):
            raise Rejected("not shown to meet the hypotheses", ("example",))
        check_claim(document["claim"], document["hypotheses"], document["proofs"])
    except (Rejected, MemoryError):
        raise
    except Exception as error:  # data that no rule foresaw proves nothing
        raise Rejected(f"malformed data ({type(error).__name__}: {error})"[:400]) from error


def read(content: bytes) -> Document:
    """The document in a file, with its form and digest checked.

    Raises:
        Unusable: it is no certificate of this format, or damaged.
    """
    document = parsed(content)
    check_form(document)
    if document["digest"] != digest(document):
        remedy = "get an undamaged copy, or prove the claim again"
        raise Unusable(DAMAGED, f"digest and content differ: changed after writing; {remedy}")
    found: Document = document
    return found


def check_form(document: Any) -> None:
    """That a JSON value has the keys of a certificate, with values of the right types.

    Raises:
        Unusable: it has not.
    """
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise Unusable(FOREIGN, f'it is JSON, but no object with "format": "{FORMAT}"')
    if type(document.get("version")) is not int or document["version"] != VERSION:
        found = str(document.get("version"))[:20]
        remedy = "use the release of proofs-check that wrote it, or prove the claim again"
        raise Unusable(FOREIGN, f"version {found} of the format is unknown here; {remedy}")
    wrong = KEYS ^ set(document)
    if wrong:
        raise Unusable(FOREIGN, f"the key {min(wrong)!r:.40} is missing or unknown")
    for key, form in _FORMS.items():
        if not isinstance(document[key], form):
            raise Unusable(FOREIGN, f"{key!r} must be a {_WORDS[form]}")
    texts = (*document["hypotheses"], *document["example"].values())
    if not all(isinstance(text, str) for text in texts):
        raise Unusable(FOREIGN, "hypotheses and the numbers of the example must be texts")
    if not all(isinstance(proof, dict) for proof in document["proofs"]):
        raise Unusable(FOREIGN, "every proof must be an object")


def digest(document: Document) -> str:
    """SHA-256 of the canonical JSON of everything but the digest itself."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    try:
        return hashlib.sha256(canonical(rest)).hexdigest()
    except RecursionError:
        raise Unusable(FOREIGN, "nested too deeply for a certificate") from None


def canonical(value: Any) -> bytes:
    """The one way to write a value as JSON: sorted keys, no spaces, ASCII."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Unusable(MISSING, getattr(error, "strerror", None) or str(error)) from None
    if len(content) > MOST_BYTES:
        raise Unusable(FOREIGN, f"larger than {MOST_BYTES // 2**20} MB; split the claim")
    return content


def parsed(content: bytes) -> Any:
    """The JSON value in a file; no fractions, infinities, or keys given twice.

    Raises:
        Unusable: there is none.
    """
    try:
        return json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_refuse,
            parse_constant=_refuse,
        )
    except UnicodeDecodeError as error:
        raise Unusable(DAMAGED, f"byte {error.start} is no UTF-8; get another copy") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Unusable(DAMAGED, f"not JSON at {place} ({error.msg}); get another copy") from None
    except RecursionError:
        raise Unusable(FOREIGN, "nested too deeply for a certificate") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Unusable(FOREIGN, "an object has the same key twice")
    return found


def _whole(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise Unusable(FOREIGN, f"a number of more than {_LONGEST_NUMBER} digits")
    return int(text)


def _refuse(text: str) -> NoReturn:
    raise Unusable(FOREIGN, f"the number {text[:20]} is not whole; fractions are texts like 1/2")
