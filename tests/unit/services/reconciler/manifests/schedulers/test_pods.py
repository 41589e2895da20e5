"""Which pods are marked for a batch scheduler, and that settings without one are as they were."""

import msgspec
import pytest
from msgspec.structs import replace

from services.reconciler.decisions.settings import DecisionSettings, digest_of
from services.reconciler.manifests.redis_cleanup import redis_cleanup_job
from services.reconciler.manifests.settings import ManifestSettings
from services.reconciler.service import as_plain
from shared.kernel.manifests import annotations_of, text_at
from shared.kernel.schedulers import VOLCANO
from shared.resources.observed import Surroundings
from tests.support.rayclusters import SETTINGS, cluster, head, template

CHOSEN = replace(SETTINGS, batch_scheduler=VOLCANO)
DIGEST_BEFORE = "fd65eed279d594d2e4f89666"


def test_the_clean_up_job_waits_for_no_gang() -> None:
    """The gang is gone by then: a member of it would never be placed."""
    made = cluster()

    assert redis_cleanup_job(made, CHOSEN) == redis_cleanup_job(made, SETTINGS)


def test_a_job_keeps_the_scheduler_of_the_users_template() -> None:
    given = head(template=template(schedulerName="own"))
    job = redis_cleanup_job(cluster(headGroupSpec=given), CHOSEN)

    assert text_at(job, "spec", "template", "spec", "schedulerName") == "own"
    assert "scheduling.k8s.io/group-name" not in annotations_of(job)


def test_settings_without_a_scheduler_keep_their_digest() -> None:
    """Recorded when there was no such field; acts of that day name it."""
    settings = DecisionSettings(manifests=ManifestSettings(version="v1.7.0"))

    assert digest_of(settings) == DIGEST_BEFORE
    assert settings.surroundings == Surroundings()


@pytest.mark.parametrize("manifests", [SETTINGS, CHOSEN])
def test_what_is_recorded_of_settings_gives_them_back(manifests: ManifestSettings) -> None:
    settings = DecisionSettings(manifests=manifests)

    assert msgspec.convert(as_plain(settings), DecisionSettings) == settings


def test_a_scheduler_makes_other_settings_and_other_surroundings() -> None:
    settings = DecisionSettings(manifests=CHOSEN)

    assert digest_of(settings) != digest_of(DecisionSettings(manifests=SETTINGS))
    assert settings.surroundings == Surroundings(batch_scheduler=VOLCANO)
