import pytest

from audit.analyses import configuration
from audit.spec.plan import ConfigurationSlice, SystemConfiguration
from tests.analyses.builders import rows_of

BRIDGE = {"irrelevant": "the copy was one day old", "judged_by": "docs team"}
TESTED = {"documents": "copy", "tools": ["search"], "sampling": {"temperature": 0}}


def system(name="a", **fields):
    values = {
        "system": name,
        "setting": "default",
        "product": None,
        "tested": TESTED,
        "deployed": "same",
        "bridges": {},
    }
    return SystemConfiguration(**(values | fields))


def analysed(*systems, claims=None):
    claims = claims or {"C": tuple(one.system for one in systems)}
    return configuration.analyse(ConfigurationSlice(study="s", claims=claims, systems=systems))


def threat(result, code, claim="C"):
    return next(one for one in result.threats if one.code == code and claim in one.claims)


@pytest.mark.parametrize(
    ("deployed", "bridges", "status"),
    [
        ("same", {}, "same"),
        ("none", {}, "same"),
        (None, {}, "unknown"),
        (None, {"documents": BRIDGE}, "unknown"),
        ({}, {}, "same"),
        ({"documents": "live"}, {}, "differs"),
        ({"documents": "live"}, {"documents": BRIDGE}, "bridged"),
        ({"documents": "live"}, {"tools": BRIDGE}, "differs"),
        ({"documents": "live", "model": "new"}, {"documents": BRIDGE}, "differs"),
        ({"documents": "live", "model": "new"}, {"documents": BRIDGE, "model": BRIDGE}, "bridged"),
        ({"documents": "copy"}, {}, "same"),
        ({"tools": ["search"], "sampling": {"temperature": 0.0}}, {}, "same"),
        ({"sampling": {"temperature": "0"}}, {}, "differs"),
        ({"sampling": {"temperature": False}}, {}, "differs"),
        ({"documents": "live"}, {"documents": {"irrelevant": "", "judged_by": "me"}}, "differs"),
        ({"documents": "live"}, {"documents": {"irrelevant": "why not"}}, "differs"),
    ],
)
def test_status(deployed, bridges, status):
    result = analysed(system(deployed=deployed, bridges=bridges))
    assert result.diagnostics["systems"] == {"a": status}
    is_open = threat(result, "configuration_differs").state == "open"
    assert is_open == (status == "differs")
    assert (threat(result, "deployment_undeclared").state == "open") == (status == "unknown")


def test_differences_are_listed_with_reason_and_name():
    deployed = {"documents": "live", "model": "new", "tools": ["search"]}
    result = analysed(system(deployed=deployed, bridges={"documents": BRIDGE, "limits": BRIDGE}))
    assert rows_of(result, "differences") == [
        {
            "system": "a",
            "key": "documents",
            "tested": "copy",
            "deployed": "live",
            "bridged": "yes",
            "reason": BRIDGE["irrelevant"],
            "judged_by": BRIDGE["judged_by"],
        },
        {
            "system": "a",
            "key": "model",
            "tested": None,
            "deployed": "new",
            "bridged": "no",
            "reason": None,
            "judged_by": None,
        },
    ]
    assert result.diagnostics["differences"] == {"a": ["model"]}
    assert result.diagnostics["idle_bridges"] == {"a": ["limits"]}


def test_threats_concern_only_the_systems_of_a_claim():
    result = analysed(
        system("a"), system("b", deployed=None), claims={"C": ("a",), "D": ("a", "b")}
    )
    assert threat(result, "deployment_undeclared", "C").state == "closed"
    assert threat(result, "deployment_undeclared", "D").state == "open"
    assert all(one.needed_from == "work" for one in result.threats)


def test_a_system_that_nobody_declared_is_unknown():
    result = analysed(system("a"), claims={"C": ("a", "ghost")})
    assert "ghost" in threat(result, "deployment_undeclared").text


@pytest.mark.parametrize(
    ("products", "settings", "state"),
    [
        (("p", "p"), ("default", "tuned"), "closed"),
        (("p", "q"), ("default", "tuned"), "open"),
        ((None, None), ("default", "tuned"), "open"),
        (("p", None), ("default", "tuned"), "open"),
        (("p", "q"), ("tuned", "tuned"), "closed"),
        ((None, None), ("default", "default"), "closed"),
    ],
)
def test_default_against_tuned_needs_one_product(products, settings, state):
    systems = [
        system(name, product=product, setting=setting)
        for name, product, setting in zip("ab", products, settings, strict=True)
    ]
    assert threat(analysed(*systems), "setting_mixed").state == state


def test_long_and_hostile_values_are_cut_and_kept_as_text():
    result = analysed(system(deployed={"other": {"x": "<script>" + "y" * 10_000}}))
    shown = rows_of(result, "differences")[0]["deployed"]
    assert len(shown) == 200
    assert "<script>" in shown


def test_order_of_systems_does_not_matter_for_what_is_said():
    systems = [system("a", deployed=None), system("b", deployed={"model": "new"}), system("c")]
    one, other = analysed(*systems), analysed(*systems[::-1])
    assert one.diagnostics == other.diagnostics
