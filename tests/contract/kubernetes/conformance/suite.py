"""All cases, in the order of the page that tells about them."""

from tests.contract.kubernetes.conformance import (
    cases_access,
    cases_builtin,
    cases_custom,
    cases_found,
    cases_patching,
    cases_pods,
    cases_reading,
    cases_removing,
    cases_served,
    cases_writing,
)
from tests.contract.kubernetes.conformance.calls import Case

CASES: tuple[Case, ...] = (
    *cases_writing.ALL,
    *cases_patching.ALL,
    *cases_removing.ALL,
    *cases_reading.ALL,
    *cases_custom.ALL,
    *cases_builtin.ALL,
    *cases_access.ALL,
    *cases_found.ALL,
    *cases_served.ALL,
    *cases_pods.ALL,
)
