"""The types of Kubernetes that stand inside our resources."""

import subprocess
import sys
from pathlib import Path

import pytest

from shared.kernel.invariants import InvariantError
from shared.kernel.manifests import mapping_at
from shared.resources.embedded import METADATA, of_type, spelled_out, stands_for
from tools.kubernetes_types import FILE, ROOTS, module, types

HOME = Path(__file__).resolve().parents[4]


def test_the_table_is_that_of_the_client_in_use() -> None:
    assert FILE.read_text(encoding="utf-8") == module(), "run python -m tools.kubernetes_types"


@pytest.mark.parametrize("name", ROOTS)
def test_a_type_is_spelled_out_whole(name: str) -> None:
    assert "$type" not in str(of_type(name))


def test_templates_say_of_their_metadata_only_what_is_kept() -> None:
    assert mapping_at(of_type("V1PodTemplateSpec"), "properties", "metadata") == METADATA
    claim = of_type("V1PersistentVolumeClaimTemplate")
    assert mapping_at(claim, "properties", "metadata") == METADATA


def test_the_words_beside_a_mark_win() -> None:
    told = spelled_out({**stands_for("V1VolumeMount"), "description": "ours"})

    assert told == {**of_type("V1VolumeMount"), "description": "ours"}


def test_an_unknown_type_is_a_mistake_of_ours() -> None:
    with pytest.raises(InvariantError):
        of_type("V1Nonsense")


def test_no_list_is_left_without_a_word_on_how_it_merges() -> None:
    lists = {
        f"{name}.{key}": mapping_at(said, "properties", key)
        for name, said in types().items()
        for key in mapping_at(said, "properties")
        if mapping_at(said, "properties", key).get("type") == "array" and name != "V1ObjectMeta"
    }

    assert [path for path, said in lists.items() if "x-kubernetes-list-type" not in said] == []


def test_nobody_pays_for_the_table_by_reading_a_resource() -> None:
    program = (
        "from shared.resources import embedded, reading;"
        "reading.read('rayjob', {'spec': {}});"
        "assert embedded._types.cache_info().currsize == 0"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=HOME, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
