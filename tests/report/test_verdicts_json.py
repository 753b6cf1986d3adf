import json

from audit.io import canonical_json
from audit.report.verdicts_json import public_verdicts
from tests.report.builders import evidence

KEYS = {"id", "kind", "reach", "verdict", "reasons", "estimates", "narrowed_to", "not_assessed"}


def test_the_public_shape():
    found = public_verdicts(evidence())
    assert {"schema", "study", "answer", "claims", "findings"} <= set(found)
    for claim in found["claims"]:
        assert {*KEYS, "would_change"} <= set(claim)
        for one in claim["estimates"]:
            assert {"measure", "value", "lower", "upper", "level", "bar"} <= set(one)


def test_values_are_those_of_the_bundle_unrounded():
    [take] = [one for one in public_verdicts(evidence())["claims"] if one["id"] == "take"]
    assert take["verdict"] == "narrowed"
    assert take["reasons"] == ["configuration_differs"]
    assert take["narrowed_to"]["reach"] == "test"
    assert take["estimates"][0] == {
        "criterion": "take.1",
        "measure": "expected_success",
        "metric": "correct",
        "task": None,
        "unit": "share",
        "value": 0.082,
        "lower": 0.051,
        "upper": 0.113,
        "level": 0.95,
        "bar": {"better_by": 0.03},
        "status": "met",
    }


def test_levels_follow_the_bar():
    levels = {
        one["criterion"]: one["level"]
        for claim in public_verdicts(evidence())["claims"]
        for one in claim["estimates"]
    }
    assert (levels["take.2"], levels["first.1"]) == (0.9, 0.95)


def test_it_is_plain_json():
    found = public_verdicts(evidence())
    assert json.loads(canonical_json(found)) == found
