"""Posterior, predictive law and attention at real sizes against what people use: one table.

    python tests/benchmarks/quantities.py

Every tool runs in a process of its own with one thread. *time* is processor time, the best of all
rounds, against the plain way of the first line marked 1.00; *memory* is what the process needed on
top of its data; the errors are the largest ones, relative to the largest true value.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from quantity_problems import PROBLEMS, Problem, truth
from quantity_tools import TOOLS

YARDSTICKS = {
    "features": "scipy qr",
    "kernel": "scipy cholesky in place",
    "softmax": "numpy online",
}
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
HEAD = ("tool", "time", "ratio", "memory", "error of mean", "of variance")


@dataclass(frozen=True)
class Measured:
    """Best processor seconds, peak bytes beyond the data, and the two errors; or why not."""

    seconds: float = float("inf")
    memory: float = 0.0
    mean: float | None = None
    variance: float | None = None
    failure: str = ""


def child(name: str, tool: str, size: int, accuracy_size: int, repeats: int) -> Measured:
    """One tool on one problem, in a process of its own."""
    command = [sys.executable, __file__, "--child", name, "--tool", tool]
    sizes = ["--size", str(size), "--accuracy-size", str(accuracy_size), "--repeats", str(repeats)]
    done = subprocess.run(
        [*command, *sizes],
        env=os.environ | ONE_THREAD,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return Measured(failure=lines[-1][:60] if lines else f"exit code {done.returncode}")
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def measure(problem: Problem, tool: str, size: int, accuracy_size: int, repeats: int) -> Measured:
    """Run inside the child: accuracy first, which also warms up, then time and memory."""
    function = TOOLS[problem.kind][tool]
    arguments = problem.make(accuracy_size)
    mean, variance = function(*arguments)
    true_mean, true_variance = truth(problem.kind, arguments)
    errors = [relative(mean, true_mean), relative(variance, true_variance)]
    arguments = problem.make(size)
    function(*arguments)
    before = reset_peak()
    function(*arguments)
    memory = max(0.0, peak() - before)
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        function(*arguments)
        seconds.append(time.process_time() - start)
    return Measured(min(seconds), memory, *errors)


def relative(found: Any, true: Any) -> float | None:
    """The largest error over the largest true value."""
    if found is None or true is None:
        return None
    return float(np.abs(np.asarray(found) - true).max() / np.abs(true).max())


def reset_peak() -> float:
    """Start the measurement of the peak anew where the system can; the bytes in use now."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", "ascii")
    return status("VmRSS")


def peak() -> float:
    """The peak of the bytes in use."""
    return status("VmHWM")


def status(key: str) -> float:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next((float(line.split()[1]) * 1024 for line in lines if line.startswith(key)), 0.0)


def best(first: Measured, second: Measured) -> Measured:
    """The quicker of two rounds."""
    return first if first.seconds <= second.seconds else second


def table(name: str, found: dict[str, Measured], size: int) -> None:
    """Print the lines of one problem."""
    problem = PROBLEMS[name]
    print(f"\n{name}: {problem.title}; L = {size:,}")
    print(line(HEAD))
    yardstick = found.get(YARDSTICKS[problem.kind], Measured()).seconds
    for tool, m in found.items():
        if m.failure:
            print(f"{tool:<32}{m.failure}")
            continue
        errors = ["-" if e is None else f"{e:.1e}" for e in (m.mean, m.variance)]
        ratio = f"{m.seconds / yardstick:.2f}" if np.isfinite(yardstick) else "-"
        cells = (tool, f"{m.seconds:.3f} s", ratio, f"{m.memory / 2**20:.0f} MiB", *errors)
        print(line(cells))


def line(cells: tuple[str, ...]) -> str:
    return f"{cells[0]:<32}" + "".join(f"{cell:>14}" for cell in cells[1:])


def main() -> int:
    """Measure every tool on every problem, or be the child that measures one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2, help="processes a tool, best counts")
    parser.add_argument("--repeats", type=int, default=2, help="runs a process, best counts")
    parser.add_argument("--only", default="", help="problems whose name contains this text")
    parser.add_argument("--tools", default="", help="tools whose name contains this text")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full sizes")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--tool", help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--accuracy-size", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        problem = PROBLEMS[options.child]
        sizes = (options.size, options.accuracy_size, options.repeats)
        print(json.dumps(vars(measure(problem, options.tool, *sizes))))
        return 0
    return compare(options)


def compare(options: argparse.Namespace) -> int:
    """The whole table; 1 when a route of this package failed."""
    failed = False
    for name, problem in PROBLEMS.items():
        if options.only not in name:
            continue
        tools = [tool for tool in TOOLS[problem.kind] if options.tools in tool]
        found = dict.fromkeys(tools, Measured())
        size = max(1, round(problem.size * options.scale))
        accuracy_size = max(1, min(size, problem.accuracy_size))
        for _ in range(options.rounds):
            for tool in tools:
                if not found[tool].failure:
                    new = child(name, tool, size, accuracy_size, options.repeats)
                    found[tool] = new if new.failure else best(found[tool], new)
        table(name, found, size)
        sys.stdout.flush()
        failed |= any(m.failure for tool, m in found.items() if tool.startswith("proofs-check"))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
