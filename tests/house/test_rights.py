"""The table of rights that people are told about is what we deploy, right by right."""

from shared.kube.rights import RULES, rights_of
from tests.house.deployed import of_kind
from tests.house.test_deploy_roles import rights


def test_the_table_of_rights_is_what_the_roles_grant() -> None:
    told = {
        service: {(one.verb, one.group, one.resource) for one in rights_of(service)}
        for service in RULES
    }

    assert told == {service: rights(role) for service, role in of_kind("ClusterRole").items()}


def test_no_right_is_told_twice() -> None:
    for service in RULES:
        each = [(one.verb, one.group, one.resource) for one in rights_of(service)]

        assert len(each) == len(set(each))
