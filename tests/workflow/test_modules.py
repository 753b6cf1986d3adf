"""The modules that a step really loads are those whose digests it depends on."""

import subprocess
import sys

import pytest

from audit.modules import PACKAGE, STEPS, code_digests, imports_of, judging_modules, modules_of

LOADED = (
    "import importlib, sys; importlib.import_module('audit.steps.' + sys.argv[1]);"
    "print('\\n'.join(sys.modules[name].__file__ for name in sorted(sys.modules)"
    " if name.partition('.')[0] == 'audit'))"
)


@pytest.mark.parametrize("verb", STEPS)
def test_every_module_that_a_step_loads_is_in_its_list(verb):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, verb],
        cwd=PACKAGE.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    known = {str(path) for path in modules_of(verb)}
    loaded = set(done.stdout.split())
    assert str(PACKAGE / "steps" / f"{verb}.py") in loaded
    assert loaded <= known


def test_no_page_is_behind_a_verdict():
    # the public verdicts are written with the evidence, by a module that lies with the pages
    named = {path.relative_to(PACKAGE).as_posix() for path in judging_modules()}
    assert {name for name in named if name.startswith("report/")} <= {
        "report/__init__.py",
        "report/verdicts_json.py",
    }


def test_the_pages_depend_on_every_template():
    assert {"templates/report.css", "templates/page_one.html.j2"} <= code_digests(
        modules_of("render")
    ).keys()


def test_an_unknown_step_has_no_list():
    with pytest.raises(KeyError):
        modules_of("dream")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("import audit.io", {"audit.io"}, id="import"),
        pytest.param("from audit import io", {"audit", "audit.io"}, id="from"),
        pytest.param("def f():\n    import audit.io", {"audit.io"}, id="inside a function"),
        pytest.param(
            "try:\n    pass\nexcept ValueError:\n    import audit.io", {"audit.io"}, id="handler"
        ),
        pytest.param(
            "match 1:\n    case 1:\n        import audit.io", {"audit.io"}, id="inside a case"
        ),
        pytest.param("if TYPE_CHECKING:\n    import audit.io", set(), id="for types only"),
    ],
)
def test_imports_are_read_wherever_they_bind_something(tmp_path, text, found):
    path = tmp_path / "module.py"
    path.write_text(text)
    assert imports_of(path) == found
