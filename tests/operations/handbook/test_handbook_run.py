"""Examples that need no cluster are run as they stand."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from handbook_kit import scene

from operations.handbook.contents import SNIPPETS
from operations.handbook.renderer import snippets

SECONDS = 300
PLACES = ("/mnt/shared", "/scratch")
# Names that an example imports, or may import: a file of that name beside it would hide the module.
MODULES = {"torch", "tensorflow", "jax", "mlflow", "wandb", "comet_ml", "kfp", "boto3", "sklearn", "model_registry"}
KUBECTL = """\
#!/bin/sh
echo "$*" >> "$TOLD"
case "$*" in
    *"create "*bad.yaml*) echo job.batch/bad ;;
    *"create "*) echo job.batch/good ;;
    *condition=complete*job.batch/good*) exit 0 ;;
    *condition=failed*job.batch/bad*) exit 0 ;;
    *"get "*) exit 0 ;;
    *) exit 1 ;;
esac
"""


def written(name: str) -> str:
    return snippets(scene("demo").facts)[name]


def ran(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        env={"PATH": "/usr/bin:/bin", **environment},
    )


def test_no_example_hides_a_module_that_it_imports() -> None:
    names = {each.name.rpartition("/")[2].removesuffix(".py") for each in SNIPPETS if each.name.endswith(".py")}
    assert not names & (MODULES | set(sys.stdlib_module_names))


def test_small_files_are_packed_and_packing_goes_on_after_a_stop(tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / "many/deep").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"many/deep/{number:02d}.txt").write_text(str(number), encoding="utf-8")
    program = tmp_path / "shards.py"
    program.write_text(written("data/shards.py"), encoding="utf-8")
    words = (sys.executable, str(program), str(tmp_path / "many"), str(tmp_path / "shards"), "10")
    first = ran(*words)
    assert first.returncode == 0, first.stderr
    kept = (tmp_path / "shards/000000.tar").stat().st_mtime_ns
    (tmp_path / "shards/000002.tar").unlink()
    (tmp_path / "shards/000002.tar.new").write_bytes(b"cut off")
    assert "25 files are in 3 shards" in ran(*words).stdout
    assert (tmp_path / "shards/000000.tar").stat().st_mtime_ns == kept
    with tarfile.open(tmp_path / "shards/000002.tar") as shard:
        assert shard.getnames() == [f"deep/{number}.txt" for number in range(20, 25)]
    assert sorted(path.name for path in (tmp_path / "shards").iterdir()) == [f"00000{n}.tar" for n in range(3)]


def test_data_is_staged_whatever_its_files_are_called(tmp_path: Path) -> None:
    (tmp_path / "shared/data/a folder").mkdir(parents=True)
    (tmp_path / "shared/data/a folder/it's.bin").write_bytes(b"1")
    (tmp_path / "shared/data/one two.tar").write_bytes(b"2")
    text = written("data/stage.sh").replace(PLACES[0], str(tmp_path / "shared"))
    done = ran("/bin/sh", "-c", text.replace(PLACES[1], str(tmp_path / "scratch")))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "scratch/data/a folder/it's.bin").read_bytes() == b"1"
    assert (tmp_path / "scratch/data/one two.tar").read_bytes() == b"2"


@pytest.mark.parametrize(
    ("files", "code", "created"), [(("a.yaml", "b.yaml"), 0, 2), (("a.yaml", "bad.yaml", "c.yaml"), 1, 2), ((), 0, 0)]
)
def test_a_sequence_ends_at_the_first_job_that_fails(
    tmp_path: Path, files: tuple[str, ...], code: int, created: int
) -> None:
    told = tmp_path / "told"
    told.touch()
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(KUBECTL, encoding="utf-8")
    kubectl.chmod(0o755)
    (tmp_path / "sequence.sh").write_text(written("training/sequence.sh"), encoding="utf-8")
    done = ran("/bin/sh", str(tmp_path / "sequence.sh"), *files, PATH=f"{tmp_path}:/usr/bin:/bin", TOLD=str(told))
    assert done.returncode == code, done.stderr
    assert told.read_text(encoding="utf-8").count("create -n") == created
