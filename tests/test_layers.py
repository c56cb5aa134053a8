"""The order of the packages, the size of the files, and what no shipped file may do."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(p for name in ("bounds", "proofs_check") for p in (ROOT / name).rglob("*.py"))
LARGEST = 400
# Each part may import those before it, and its own; parts of one rank do not know each other.
RANKS = {
    "verdict": 0,
    "recheck": 0,
    "certificate": 1,
    "cache": 2,
    "arithmetic": 3,
    "methods": 4,
    "derivations": 5,
    "checker": 6,
    "outcome": 7,
    "templates": 7,
    "workers": 7,
    "witnesses": 7,
    "second_opinions": 8,
    "fingerprint": 0,
    "tasks": 7,
    "executors": 8,
    "report": 8,
    "inequalities": 9,
    "scheduling": 9,
    "cluster": 9,
    "places": 10,
    "cli": 11,
    "__main__": 12,
}
BOUNDS_RANKS = {"arithmetic": 1, "attention": 2, "models": 3, "large": 4, "theory": 5}
FORBIDDEN_CALLS = {"eval", "exec", "parse_expr", "parse_latex"}


def name_of(path):
    return str(path.relative_to(ROOT))


def imports(path):
    """Every module that a file imports, also inside functions and type-checking blocks."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}: a relative import hides its layer"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part_of(path):
    return path.relative_to(ROOT).with_suffix("").parts[1]


def test_there_is_something_to_check():
    assert len(FILES) > 80
    assert {part_of(p) for p in FILES if name_of(p).startswith("proofs_check")} <= {
        *RANKS,
        "__init__",
    }


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_file(path):
    check_layer(path)
    assert len(path.read_text().splitlines()) <= LARGEST
    check_statements(path)


def check_layer(path):
    package = path.relative_to(ROOT).parts[0]
    for module in imports(path):
        parts = module.split(".")
        if package == "bounds":
            assert parts[0] != "proofs_check", f"bounds imports {module}"
            here, there = part_of(path), parts[1] if len(parts) > 1 else ""
            later = BOUNDS_RANKS.get(there, 0) > BOUNDS_RANKS.get(here, 99)
            assert parts[0] != "bounds" or not later, f"{here} imports {module}"
        elif parts[0] == "proofs_check" and len(parts) > 1 and path.name != "__init__.py":
            here, there = part_of(path), parts[1]
            assert there in RANKS, f"unknown part {module}"
            assert here == there or RANKS[there] < RANKS[here], f"{here} imports {module}"


def check_statements(path):
    for node in ast.walk(ast.parse(path.read_text())):
        assert not isinstance(node, ast.Assert), f"assert in line {node.lineno}"
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            allowed = name == "exec" and name_of(path) == "bounds/catalog.py"
            assert name not in FORBIDDEN_CALLS or allowed, f"{name} in line {node.lineno}"
            if name in ("sympify", "S"):
                text = any(isinstance(a, (ast.Constant, ast.JoinedStr)) for a in node.args)
                assert not text, f"sympify of a text in line {node.lineno}"


def test_sabotage_the_checks_see_what_they_forbid(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    bad = {
        "bounds/models/a.py": "from bounds.large.front import predictive\n",
        "bounds/a.py": "def f():\n    from proofs_check import check\n",
        "proofs_check/arithmetic/a.py": "import proofs_check.methods.trial\n",
        "proofs_check/verdict.py": "from proofs_check import checker\n",
        "proofs_check/report/a.py": "assert True\n",
        "bounds/b.py": "from sympy import sympify\nsympify('x')\n",
        "bounds/c.py": "eval('1')\n",
        "proofs_check/cli/c.py": "exec('1')\n",
    }
    for name, text in bad.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        with pytest.raises(AssertionError):
            (check_layer(path), check_statements(path))


def run(code):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("module", ["proofs_check", "proofs_check.cli"])
def test_light_imports(module):
    heavy = "{'sympy', 'scipy', 'numpy', 'flint'}"
    done = run(f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))")
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_importing_prints_nothing_and_keeps_global_precision():
    names = [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in FILES]
    modules = [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]
    code = (
        "import importlib, mpmath, flint\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        "assert (mpmath.mp.prec, flint.ctx.prec) == (53, 53)\n"
    )
    done = run(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "first",
    ["import proofs_check", "import proofs_check.checker", "import proofs_check.scheduling"],
)
def test_the_entry_point_is_the_function_whatever_was_imported_before(first):
    done = run(f"{first}\nfrom proofs_check import check\nprint(check.__name__, callable(check))")
    assert done.stdout == "check True\n", done.stderr


CHECKER = sorted((ROOT / "proofs_check" / "recheck").rglob("*.py"))


LARGE = ROOT / "bounds" / "large"


@pytest.mark.parametrize(("part", "other"), [("floats", "enclosed"), ("enclosed", "floats")])
def test_routes_that_prove_share_nothing_with_those_that_do_not(part, other):
    """So that each is a check of the other."""
    files = sorted((LARGE / part).glob("*.py"))
    assert len(files) > 5
    for path in files:
        assert not any(module.startswith(f"bounds.large.{other}") for module in imports(path))


@pytest.mark.parametrize("path", CHECKER, ids=name_of)
def test_the_checker_shares_nothing_with_what_finds_proofs(path):
    """Only python-flint, the standard library, and itself."""
    for module in imports(path):
        top = module.split(".")[0]
        own = module.startswith("proofs_check.recheck")
        assert own or top == "flint" or top in sys.stdlib_module_names, f"imports {module}"


def test_there_is_a_checker():
    assert len(CHECKER) > 20
