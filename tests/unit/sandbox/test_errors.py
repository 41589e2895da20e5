"""Refusals have the real API server's shape."""

from sandbox.errors import ApiError, Cause


def test_says_what_was_not_found() -> None:
    assert ApiError.not_found("pods", "x").status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'pods "x" not found',
        "reason": "NotFound",
        "details": {"name": "x", "kind": "pods"},
        "code": 404,
    }


def test_lists_every_cause() -> None:
    causes = [
        Cause(field="spec.a", reason="FieldValueRequired", message="Required value"),
        Cause(field="spec.b", reason="FieldValueInvalid", message="Invalid value: 1: too small"),
    ]

    error = ApiError.invalid("Widget", "x", causes, group="example.com")

    assert str(error) == (
        'Widget.example.com "x" is invalid: '
        "[spec.a: Required value, spec.b: Invalid value: 1: too small]"
    )
    assert len(error.status["details"]["causes"]) == 2


def test_a_single_cause_stands_alone() -> None:
    cause = Cause(field="spec.a", reason="FieldValueRequired", message="Required value")

    error = ApiError.invalid("Pod", "x", [cause])

    assert str(error) == 'Pod "x" is invalid: spec.a: Required value'


def test_codes_and_reasons_belong_together() -> None:
    errors = [
        ApiError.already_exists("pods", "x"),
        ApiError.conflict("pods", "x"),
        ApiError.bad_request("no"),
        ApiError.unauthorized(),
        ApiError.forbidden("pods", "x", "no"),
        ApiError.method_not_allowed(),
        ApiError.unsupported_media_type(["application/json"]),
        ApiError.expired(),
        ApiError.gone(1, 2),
        ApiError.too_many_requests(),
        ApiError.internal("fire"),
    ]

    assert [(error.code, error.reason) for error in errors] == [
        (409, "AlreadyExists"),
        (409, "Conflict"),
        (400, "BadRequest"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (405, "MethodNotAllowed"),
        (415, "UnsupportedMediaType"),
        (410, "Expired"),
        (410, "Expired"),
        (429, "TooManyRequests"),
        (500, "InternalError"),
    ]
