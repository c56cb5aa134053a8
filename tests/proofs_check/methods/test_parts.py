"""Parts cover every instance once, in order, and depend on the number of instances alone."""

from hypothesis import given
from hypothesis import strategies as st

from proofs_check.methods.parts import EACH, FIRST, Part, groups, split


@given(st.integers(0, 500), st.integers(1, 4))
def test_every_instance_is_in_one_group_and_meets_every_batch(count, batches):
    parts = split(count, batches)
    for batch in range(batches):
        seen = [i for part in parts if part.batch == batch for i in part.indices]
        assert seen == list(range(count))
    assert all(0 < part.stop - part.start <= EACH for part in parts)
    assert parts == tuple(sorted(parts, key=lambda part: (part.start, part.batch)))


@given(st.integers(1, 500), st.integers(1, 4))
def test_groups_have_all_batches_of_the_same_instances(count, batches):
    found = list(groups(split(count, batches)))
    assert [part for group in found for part in group] == list(split(count, batches))
    for group in found:
        assert [part.batch for part in group] == list(range(batches))
        assert len({(part.start, part.stop) for part in group}) == 1


def test_the_first_part_is_short():
    assert split(3) == (Part(0, 3),)
    ends = (0, FIRST, FIRST + EACH, FIRST + EACH + 1)
    assert split(ends[-1]) == tuple(map(Part, ends[:-1], ends[1:]))
    assert split(0) == ()


@given(st.integers(30, 300))
def test_more_instances_leave_the_whole_parts_before_them_as_they_are(count):
    assert split(count + EACH)[: len(split(count)) - 1] == split(count)[:-1]
