import pytest

from audit.errors import Contradiction
from audit.evidence import Evidence, build_evidence
from audit.io import canonical_json, digest_of
from tests.report.builders import CLAIMS, STUDY, accounting, evidence, plan_for, results, verdicts


def parts(**changed):
    whole = evidence()
    given = {
        "study_slice": {
            "study": whole.study,
            "remarks": [],
            "spec_digest": "sha256:1",
            "decision_digest": "sha256:2",
        },
        "plan": whole.plan,
        "weights": whole.weights,
        "accounting": whole.accounting,
        "results": whole.results,
        "assessment": whole.assessment,
    }
    return {**given, **changed}


def test_the_bundle_survives_its_file():
    whole = evidence()
    assert Evidence.model_validate_json(canonical_json(whole)) == whole


def test_order_of_results_and_sources_does_not_matter():
    found = parts()
    turned = parts(results=tuple(reversed(found["results"])))
    assert canonical_json(build_evidence(**found)) == canonical_json(build_evidence(**turned))


def test_digests_name_study_sources_and_results():
    whole = build_evidence(**parts(digests={"environment": "sha256:9"}))
    assert whole.digests["spec"] == "sha256:1"
    assert whole.digests["decision"] == "sha256:2"
    assert whole.digests["source:october"] == accounting().source_digest
    assert whole.digests["environment"] == "sha256:9"
    [comparison] = [one for one in whole.results if one.analysis == "comparison"]
    assert whole.digests["result:comparison.october"] == digest_of(comparison)


def test_two_results_of_one_name_are_a_contradiction():
    twice = (*results(verdicts()), results(verdicts())[0])
    with pytest.raises(Contradiction, match="two results"):
        build_evidence(**parts(results=twice))


def test_parts_of_two_studies_are_a_contradiction():
    plan = plan_for(verdicts(), CLAIMS).model_copy(update={"study": "other"})
    with pytest.raises(Contradiction, match="different studies"):
        build_evidence(**parts(plan=plan))


def test_one_simulated_source_makes_the_bundle_simulated():
    assert not evidence().simulated
    assert evidence(simulated=True).simulated


def test_hints_are_for_the_author_and_left_out():
    remarks = [
        {"path": "a", "message": "warned", "severity": "warning"},
        {"path": "b", "message": "hinted", "severity": "hint"},
    ]
    given = parts()
    given["study_slice"] = {**given["study_slice"], "remarks": remarks}
    assert [one.text for one in build_evidence(**given).remarks] == ["warned"]


def test_a_study_is_kept_as_declared():
    assert evidence().study["workload"] == STUDY["workload"]
