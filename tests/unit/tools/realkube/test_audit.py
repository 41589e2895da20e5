"""What the API server notes, and how it is read."""

from pathlib import Path

import msgspec
import yaml

from tools.realkube.audit import Answer, Noted, Ref, Who, read_log, write_policy


def test_only_writes_to_what_is_counted_are_noted_and_only_once(tmp_path: Path) -> None:
    audit = write_policy(tmp_path)
    policy = yaml.safe_load(Path(audit.policy).read_text())

    assert audit.log == str(tmp_path / "audit.log")
    assert policy["omitStages"] == ["RequestReceived", "ResponseStarted"]
    assert [rule["level"] for rule in policy["rules"]] == ["Metadata", "None"]
    assert "get" not in policy["rules"][0]["verbs"]


def test_the_calls_about_one_namespace_are_read_with_their_answers(tmp_path: Path) -> None:
    here = {"resource": "rayclusters", "namespace": "a", "name": "x", "subresource": "status"}
    call = {
        "kind": "Event",
        "verb": "patch",
        "user": {"username": "somebody"},
        "objectRef": here,
        "responseStatus": {"code": 409},
    }
    elsewhere = {**call, "objectRef": {**here, "namespace": "b"}}
    lines = (msgspec.json.encode(each) + b"\n" for each in (call, elsewhere))
    (tmp_path / "audit.log").write_bytes(b"".join(lines))

    assert read_log(tmp_path, "a") == [
        Noted(
            verb="patch",
            object_ref=Ref(**here),
            user=Who(username="somebody"),
            response_status=Answer(code=409),
        )
    ]


def test_nothing_was_noted_where_there_is_no_log(tmp_path: Path) -> None:
    assert read_log(tmp_path, "a") == []
