"""Forged certificates that once passed, or that made the checker crash or hang; by their kind."""

import pytest

from proofs_check.recheck.claims import check_claim, meets
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.normal import vanishes
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Side

RANGE = {"rule": "range"}


def defined(proof, *needs):
    return {"rule": "define", "needs": list(needs), "proof": proof}


def rewritten(goal, proof=RANGE):
    return {"rule": "rewrite", "goal": goal, "proof": proof}


def rejected(claim, hypotheses, *proofs):
    with pytest.raises(Rejected):
        check_claim(claim, list(hypotheses), list(proofs))


# --- u^v has a value at u < 0 when v is whole, whatever its expression looks like -----------------
HIDDEN = ["x**(3 + 0*x)", "x**max(3, 3)", "x**sqrt(9)", "x**(3*pi/pi)", "x**cbrt(27)"]


@pytest.mark.parametrize("power", HIDDEN)
@pytest.mark.parametrize(
    "proof",
    [RANGE, {"rule": "boxes", "box": [["x", "-1", "1"]], "tree": "."},
     {"rule": "line", "pieces": [["-1", "1"]]}],
)  # fmt: skip
def test_an_odd_power_does_not_become_one_of_positive_bases(power, proof):
    rejected("0 <= x**3", ["-1 <= x", "x <= 1"], defined(rewritten(power, proof)))
    rejected("0 <= (x - 5)**3 + x**3", [], defined(rewritten(f"(x - 5)**3 + {power}", proof)))


def test_an_odd_power_is_no_atom_of_positive_bases():
    atoms = {"rule": "atoms", "atoms": {"u": "x**(3 + 0*x)"}, "top": "u", "bottom": "1",
             "top_proof": {"rule": "range"}, "bottom_proof": {"rule": "range"}}  # fmt: skip
    rejected("0 <= x**3", [], defined(atoms))


def test_a_hypothesis_with_a_whole_power_can_be_met():
    hypotheses = ["n in N", "x**n <= -1"]
    assert meets("1 <= 0", hypotheses, {"x": "-2", "n": "1"})
    rejected("1 <= 0", hypotheses, {"rule": "empty", "fact": "-1 - x**n", "proof": RANGE})


@pytest.mark.parametrize(
    "proof",
    [RANGE, {"rule": "boxes", "box": [["x", "-5", "1"]], "tree": "."},
     {"rule": "line", "pieces": [["-5", "1"]]}],
)  # fmt: skip
def test_facts_are_not_clamped_at_whole_powers(proof):
    empty = {"rule": "empty", "fact": "x**max(2, 2) - 2", "proof": proof}
    cut = {"rule": "cut", "test": "x - 1", "proofs": [defined(RANGE), empty]}
    rejected("x >= 1", ["x**max(2, 2) >= 2", "x >= -5"], cut)


# --- a root of a product is not the product of roots ----------------------------------------------
@pytest.mark.parametrize("text", ["x*sqrt(sqrt(x*y))", "y*(x*y)**(1/6)", "x*abs(sqrt(x*y)*z)"])
def test_factors_of_a_root_may_both_be_negative(text):
    box = {name: Side() for name in "xyz"}
    assert not vanishes(read_expression(f"abs({text}) - {text}"), box)
    given = {"rule": "farkas", "multipliers": [["x*y", "1"]], "rest": "0"}
    need = {"of": "x*y", "positive": True, "proof": given}
    rejected(f"0 <= {text}", ["x*y >= 0"], defined(rewritten(f"abs({text})"), need))


# --- functions without an agreed value at jumps ---------------------------------------------------
@pytest.mark.parametrize("word", ["sign(x)", "choose(x, 0, 0, 0)"])
def test_jumps_cannot_stand_in_a_claim(word):
    rejected(f"0 <= {word} + 1", [], defined(RANGE))
    rejected("0 <= 1", [f"x <= 0*{word} or x == 1"], defined(RANGE), defined(RANGE))


# --- what made it crash or hang -------------------------------------------------------------------
def test_the_zero_polynomial_in_order():
    check_claim("0 <= 0*x", ["x >= 0"], [defined({"rule": "ordered"})])


@pytest.mark.parametrize(
    "text",
    ["1" * 5_000, "*".join(["1e9999"] * 3_000), "(((2**400)**400)**400)**400*x", "x - 1e9999"],
    ids=["long", "product", "tower", "large"],
)
def test_large_numbers_are_refused(text):
    for rule in ("range", "number", "terms", "univariate polynomial", "identity", "bernstein"):
        rejected(f"0 <= {text}", [], defined({"rule": rule, "variables": ["x"], "tree": "c"}))
    rejected(f"0 <= log({text})", [], defined(RANGE))


def test_a_deep_tree_of_halves_runs_out_of_steps():
    tree = "c"
    for _ in range(60):
        tree = ["s", 0, tree, tree]
    proof = {"rule": "bernstein", "variables": ["x"], "tree": tree}
    rejected("0 <= x**200 - x + 1", ["0 <= x", "x <= 1"], defined(proof))


# --- a fact is the one of the sequent, however the certificate writes it --------------------------
def test_a_gap_may_not_lose_the_domain_of_its_fact():
    """The fact has a value only where y + z - z**2 >= 0; without it y = -1 is in the region."""
    root = "sqrt(y + z - z*z)"
    fact = f"x + 0*{root}"
    box = [["x", "-5", "5"], ["y", "-5", "5"], ["z", "0", "1"]]
    denied = f"-x - 0*{root} + 100*({root}*{root} - (y + z - z*z))"
    empty = {"rule": "empty", "fact": fact,
             "proof": rewritten(denied, {"rule": "boxes", "box": box, "tree": "."})}  # fmt: skip
    tree = ["split", "y", "-1/2", empty, "."]
    need = {"of": "y + 1", "positive": True, "proof": {"rule": "boxes", "box": box, "tree": tree}}
    slope = {"rule": "monotone", "name": "y", "end": "low", "slope": RANGE, "face": RANGE}
    gap = {"rule": "gap", "name": "x", "new": "t", "fact": "x + 0*y + 0*z", "value": "t"}
    hypotheses = [f"{fact} >= 0", "-5 <= x", "x <= 5", "-5 <= y", "y <= 5", "0 <= z", "z <= 1"]
    assert meets("-1/(y + 1) >= 0", hypotheses, {"x": "1", "y": "1", "z": "0"})
    rejected("-1/(y + 1) >= 0", hypotheses, defined({**gap, "proof": slope}, need))


# --- functions with values beyond what the rules know ---------------------------------------------
@pytest.mark.parametrize("word", ["gamma", "digamma", "trigamma", "loggamma"])
def test_gamma_in_a_hypothesis_needs_a_positive_argument(word):
    empty = {"rule": "empty", "fact": f"-1 - {word}(x)", "proof": RANGE}
    rejected("x >= 5", [f"{word}(x) <= -1 or x >= 6"], empty, defined(RANGE))
    check_claim("x >= 1", [f"{word}(x) <= 9", "x >= 2"], [defined(RANGE)])


def test_derivatives_do_not_grow_without_end():
    goal = "*".join(f"sin({i}*x)" for i in range(1, 41))
    slope = {"rule": "integrated", "name": "x", "end": "low", "order": 6, "slope": RANGE}
    rejected(f"{goal} >= 0", ["0 <= x", "x <= 1"], defined(slope))
