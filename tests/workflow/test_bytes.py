"""Same inputs, same bytes: another folder, another hash seed, another number of jobs at a time."""

from tests.workflow.house import new_house


def test_two_builds_in_two_folders_with_two_hash_seeds_are_equal(finished, tmp_path):
    other = new_house(tmp_path / "some where else {x}" / "house", "one", program=finished.root)
    done = other.run("--cores", "1", PYTHONHASHSEED="4711", HOME=str(tmp_path / "no home"))
    assert done.returncode == 0, done.stdout
    made = other.contents("one")
    assert made == finished.contents("one")
    suffixes = {name.rpartition(".")[2] for name in made}
    assert suffixes >= {"pdf", "html", "json", "svg", "parquet", "md"}


def test_no_result_names_the_folder_that_it_was_made_in(finished):
    place = str(finished.root).encode()
    for path in (finished.results / "one").rglob("*"):
        if path.is_file():
            assert place not in path.read_bytes(), path
