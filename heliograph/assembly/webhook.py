"""The webhook as a duty: settings in, no ports. It needs neither the log nor Kubernetes."""

from services.webhook.certificate import Certificate
from services.webhook.service import Serving, Webhook
from shared.runtime.health import Health
from shared.runtime.settings import Settings
from shared.runtime.supervision import Duty
from shared.validation.check import check


def webhook(settings: Settings, health: Health) -> Duty:
    """Build the webhook; raise FatalError if its certificate cannot be used."""
    wishes = settings.webhook
    serving = Serving(
        host=wishes.webhook_host,
        port=wishes.webhook_port,
        features=settings.rules.feature_gates,
    )
    certificate = Certificate(wishes.webhook_cert, wishes.webhook_key)
    service = Webhook(certificate, check, serving)
    health.add_ready("webhook", service.trouble)
    return Duty(service="webhook", name="judging", run=service.run, drain=service.drain)
