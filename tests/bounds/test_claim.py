"""Claims refuse to be put together wrongly, and their neighbours change what they say."""

import pytest
from sympy import Symbol, oo

from bounds.claim import Claim, Mutant, Variant
from bounds.errors import ClaimDefinitionError
from bounds.hypothesis import HypothesisKind, assume, on_instances, structural
from bounds.points import Points, box, integers, point
from bounds.quantity import Quantity
from bounds.relation import Limit, Relation, Tail
from bounds.source import Paper, Source
from bounds.status import Status
from bounds.symbols import matrix, scalar

x, y = scalar("x"), scalar("y")
POSITIVE = assume("positive", x > 0)


def claim(**changes):
    given = {
        "id": "T1.part", "title": "test", "lhs": x, "rhs": y, "source": Source("test"),
        "hypotheses": (POSITIVE,),
    }  # fmt: skip
    return Claim(**{**given, **changes})


def zero(instance, field):
    return field.number(0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": "1x"}, "an id looks like"),
        ({"id": "I2 bound"}, "an id looks like"),
        ({"id": ""}, "an id looks like"),
        ({"id": "I2.bound\n"}, "an id looks like"),
        ({"id": "../x"}, "an id looks like"),
        ({"rhs": "x + 1"}, "not a SymPy expression"),
        ({"lhs": None}, "not a SymPy expression"),
        ({"relation": Relation.TAIL}, "go together"),
        ({"tail": Tail(x)}, "go together"),
        ({"relation": Relation.LIMIT}, "go together"),
        ({"limit": Limit(x, oo)}, "go together"),
        ({"hypotheses": (POSITIVE, assume("positive", y > 0))}, "hypothesis named twice: positive"),
        ({"quantities": (Quantity(x, "", zero), Quantity(x, "", zero))}, "quantity named twice: x"),
        ({"mutants": (Mutant(name="a", why=""), Mutant(name="a", why=""))}, "named twice: a"),
        ({"hypotheses": (structural("s", "trust", axiom="trust-me"),)}, "unknown axioms"),
        ({"lhs": Symbol("x", positive=True)}, "x: state signs"),
        ({"rhs": Symbol("k", integer=True)}, "k: state signs"),
        ({"hypotheses": (assume("h", Symbol("w", nonnegative=True) < 2),)}, "w: state signs"),
        ({"lhs": matrix("A", Symbol("n", integer=True), 1)}, "n: state signs"),
    ],
)
def test_what_a_claim_refuses(changes, words):
    with pytest.raises(ClaimDefinitionError, match="claim") as caught:
        claim(**changes)
    assert words in str(caught.value)


def test_a_mutant_and_a_variant_may_share_no_name():
    variant = Variant(name="a", why="", source=Source("p"), expected=Status.REFUTED)
    with pytest.raises(ClaimDefinitionError, match="mutant or variant named twice"):
        claim(mutants=(Mutant(name="a", why=""),), variants=(variant,))


def test_plain_symbols_are_welcome():
    assert claim(lhs=Symbol("w")).lhs == Symbol("w")
    with pytest.raises(ClaimDefinitionError, match="named x"):
        claim(lhs=Symbol("x"))  # not the x of the hypothesis, which is real
    assert claim(lhs=matrix("A", scalar("n"), 2)).free_symbols == {
        matrix("A", scalar("n"), 2),
        x,
        y,
    }


def test_free_symbols_come_from_every_part():
    a, b, c, d = (scalar(name) for name in "abcd")
    whole = claim(
        hypotheses=(assume("a", a > 0),),
        quantities=(Quantity(b, "", zero, formula=c + 1),),
        relation=Relation.TAIL,
        tail=Tail(d),
    )
    assert whole.free_symbols == {x, y, a, c, d}


def test_result_and_neighbours():
    mutant = Mutant(name="m", why="false", rhs=-y, drop=("positive",), add=(assume("y", y > 0),))
    variant = Variant(name="v", why="as printed", lhs=2 * x, relation=Relation.LT,
                      source=Source("book"), expected=Status.REFUTED)  # fmt: skip
    whole = claim(mutants=(mutant,), variants=(variant,))
    assert (whole.result, claim(id="G8").result) == ("T1", "G8")
    false, printed = whole.mutated(mutant), whole.as_printed(variant)
    assert (false.id, false.result, false.rhs, false.lhs) == ("T1.part~m", "T1", -y, x)
    assert [h.name for h in false.hypotheses] == ["y"]
    assert (false.mutants, false.variants) == ((), ())
    assert (printed.id, printed.lhs, printed.relation) == ("T1.part@v", 2 * x, Relation.LT)
    assert (printed.expected, printed.source) == (Status.REFUTED, Source("book"))
    assert whole.expected is Status.PROVED


def test_a_neighbour_that_drops_what_is_not_there_is_refused():
    mutant = Mutant(name="m", why="", drop=("negative",))
    with pytest.raises(ClaimDefinitionError, match=r"drops unknown hypotheses \['negative'\]"):
        claim(mutants=(mutant,)).mutated(mutant)


def test_a_neighbour_may_bring_instances():
    special = Points((point({"x": 1, "y": 0}),))
    mutant = Mutant(name="m", why="", instances=special)
    assert claim(instances=box(x=integers(1, 2))).mutated(mutant).instances is special


def test_without():
    assert claim().without("positive").hypotheses == ()
    assert claim().without("unknown").hypotheses == (POSITIVE,)


def test_kinds_of_hypotheses():
    kinds = [assume("a", x > 0), on_instances("b", "text"), structural("c", "i.i.d.")]
    assert [h.kind for h in kinds] == list(HypothesisKind)
    assert str(assume("noise", x > 0)) == "noise: x > 0"
    with pytest.raises(AttributeError):
        kinds[0].name = "other"


def test_sources_and_papers():
    paper = Paper("A. Author", 2020, "Title", "arXiv:1")
    assert str(paper) == "A. Author (2020), Title, arXiv:1"
    assert str(paper.at("Lemma 2", constants="ours")) == f"{paper}; Lemma 2; ours"
    assert str(paper.at()) == str(paper)
