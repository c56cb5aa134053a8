"""The executor at a place by name: ``local``, or ``dask://HOST:PORT``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proofs_check.executors import ClusterError, Executor, LocalExecutor
from proofs_check.inequalities import prove
from proofs_check.verdict import Verdict

LOCAL = "local"


def executor_at(place: str, *, jobs: int | None, modules: Sequence[str] = ()) -> Executor:
    """The executor; ``jobs`` are the processes here (1 by default), or the tasks at a time there.

    Raises:
        ClusterError: the extra ``cluster`` is not installed, or the cluster cannot be used.
    """
    if place == LOCAL:
        return LocalExecutor(jobs or 1, modules=modules)
    try:
        from proofs_check.cluster import ClusterExecutor
    except ImportError as error:
        raise ClusterError(
            f"{place} needs dask ({error}); install it with the extra `cluster`: "
            "pip install 'proofs-check[cluster]'"
        ) from error
    return ClusterExecutor(place, jobs=jobs, modules=modules)


def prove_in_parts(
    relation: str,
    hypotheses: Sequence[str],
    place: str,
    jobs: int | None,
    options: Mapping[str, Any],
) -> Verdict:
    """:func:`proofs_check.inequalities.prove`, with the parts of the region shown at a place.

    Raises:
        ClusterError: the cluster cannot be used, or is gone.
    """
    modules = ("proofs_check.methods.inequality.split",)
    with executor_at(place, jobs=jobs, modules=modules) as executor:
        return prove(relation, hypotheses, executor=executor, **options)
