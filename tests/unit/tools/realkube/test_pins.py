"""Versions come from go.mod alone, and builds that could differ have different names."""

import pytest

from tools.realkube.assets import SOURCES
from tools.realkube.pins import ETCD, KUBERNETES, PROGRAMS, build_name, link_flags, pinned

GO_MOD = """\
module example

require k8s.io/kubernetes v1.2.3

require (
\tk8s.io/api v0.2.3 // indirect
\tgo.etcd.io/etcd/server/v3 v3.4.5 // indirect
)
"""


@pytest.mark.parametrize(
    ("module", "version"),
    [("k8s.io/kubernetes", "1.2.3"), ("k8s.io/api", "0.2.3"), (ETCD, "3.4.5")],
)
def test_finds_a_version_in_either_form_of_require(module: str, version: str) -> None:
    assert pinned(GO_MOD, module) == version


def test_says_which_module_is_not_required() -> None:
    with pytest.raises(ValueError, match=r"go.mod requires no k8s.io/kubectl"):
        pinned(GO_MOD, "k8s.io/kubectl")


def test_stamps_the_version_where_servers_and_clients_look() -> None:
    assert link_flags("1.37.1").split(" -X ") == [
        "-s -w",
        "k8s.io/client-go/pkg/version.gitVersion=v1.37.1",
        "k8s.io/client-go/pkg/version.gitMajor=1",
        "k8s.io/client-go/pkg/version.gitMinor=37",
        "k8s.io/client-go/pkg/version.gitTreeState=clean",
        "k8s.io/component-base/version.gitVersion=v1.37.1",
        "k8s.io/component-base/version.gitMajor=1",
        "k8s.io/component-base/version.gitMinor=37",
        "k8s.io/component-base/version.gitTreeState=clean",
    ]


def test_names_a_build_after_its_version_and_everything_that_goes_into_it() -> None:
    name = build_name("1.2.3", ("a", "b"))

    assert name.startswith("1.2.3-")
    assert name == build_name("1.2.3", ("a", "b"))
    assert len({name, build_name("1.2.3", ("a", "c")), build_name("1.2.3", ("ab", ""))}) == 3


def test_our_go_mod_builds_every_program_with_staging_modules_of_one_release() -> None:
    go_mod = (SOURCES / "go.mod").read_text(encoding="utf-8")
    staging = pinned(go_mod, KUBERNETES).replace("1.", "v0.", 1)
    replaced = {line.split()[-1] for line in go_mod.splitlines() if " => " in line}

    assert [package for package in PROGRAMS.values() if f"\t{package}\n" not in go_mod] == []
    assert replaced == {staging}
