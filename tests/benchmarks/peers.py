"""Other solvers on SMT-LIB text: ``python peers.py z3|cvc5|dreal SECONDS < problem.smt2``.

Prints ``unsat``, ``sat`` or ``unknown`` and the seconds without the start of the process.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path


def z3(text: str, seconds: float) -> str:
    """The answer of z3."""
    import z3

    solver = z3.Solver()
    solver.set("timeout", int(seconds * 1000))
    solver.from_string(text)
    return str(solver.check())


def cvc5(text: str, seconds: float) -> str:
    """The answer of cvc5."""
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text + "\n(check-sat)\n", "problem")
    symbols, answer = parser.getSymbolManager(), "unknown"
    while not (command := parser.nextCommand()).isNull():
        answer = str(command.invoke(solver, symbols)).strip() or answer
    return answer


def dreal(text: str, seconds: float) -> str:
    """The answer of dReal; ``delta-sat`` is no answer for a tight claim."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.smt2"
        file.write_text(text + "\n(check-sat)\n(exit)\n", encoding="utf-8")
        done = subprocess.run(
            ["dreal", str(file)], capture_output=True, text=True, timeout=seconds, check=False
        )
    return "unsat" if done.stdout.startswith("unsat") else "unknown"


PEERS: Mapping[str, Callable[[str, float], str]] = {"z3": z3, "cvc5": cvc5, "dreal": dreal}


def available(name: str) -> bool:
    """Whether the solver is installed here."""
    if name == "dreal":
        return shutil.which("dreal") is not None
    from importlib.util import find_spec

    return find_spec(name) is not None


def ask(name: str, text: str, seconds: float) -> tuple[str, float]:
    """The answer and the time of a solver in a process of its own, killed when time is up."""
    command = [sys.executable, __file__, name, str(seconds)]
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=seconds + 5, check=False
        )
    except subprocess.TimeoutExpired:
        return "unknown", seconds
    words = done.stdout.split()
    if done.returncode or not words or words[0] not in ("sat", "unsat", "unknown"):
        return "unknown", seconds
    return words[0], float(words[-1])


def main() -> None:
    """Answer one problem from the standard input."""
    name, seconds = sys.argv[1], float(sys.argv[2])
    text = sys.stdin.read()
    started = time.perf_counter()
    answer = PEERS[name](text, seconds)
    print(answer, f"{time.perf_counter() - started:.3f}")


if __name__ == "__main__":
    main()
