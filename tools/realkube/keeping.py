"""Keeps a control plane up: starts it, records it, and ends it when told or no longer used.

Invariant: whatever way the keeper ends short of being killed, the programs end before it; what a
killed keeper leaves behind is ended by the next `up` or `down` in the folder. Read next:
`controlplane.py`.
"""

import os
import signal
import time
from collections.abc import Callable
from types import FrameType

from tools.realkube.assets import Assets
from tools.realkube.controlplane import ControlPlane, ControlPlaneFailedError
from tools.realkube.identities import identify
from tools.realkube.instances import KEEPER, Instance, Record

LOOK_EVERY = 0.25
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _ToldToEnd(Exception):  # noqa: N818 - a wish, not an error
    """Somebody wants the keeper to end."""


def keep(
    instance: Instance, assets: Assets, *, for_users: bool, told: Callable[[Record], None]
) -> None:
    """Keep it up until a signal comes, or with `for_users` until the last of them has left.

    `told` hears what runs; if something already does, it stays in its keeper's care.
    """
    plane = ControlPlane(instance.folder / f"run-{os.getpid()}", assets)
    try:
        for number in ENDING:
            signal.signal(number, _raise)
        if _start(instance, plane, told):
            _stay(instance, plane, for_users=for_users)
    except _ToldToEnd:
        return
    finally:
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
        plane.stop()


def _start(instance: Instance, plane: ControlPlane, told: Callable[[Record], None]) -> bool:
    with instance.alone():
        record = instance.running()
        mine = record is None
        if record is None:
            instance.end()
            plane.start()
            record = Record(
                version=plane.version(),
                url=plane.ports.api_url,
                kubeconfig=str(plane.kubeconfig),
                processes={KEEPER: identify(os.getpid()), **plane.identities},
            )
            instance.write(record)
    told(record)
    return mine


def _stay(instance: Instance, plane: ControlPlane, *, for_users: bool) -> None:
    try:
        while not (for_users and _abandoned(instance)):
            plane.check()
            time.sleep(LOOK_EVERY)
    except (_ToldToEnd, ControlPlaneFailedError):
        instance.forget()
        raise


def _abandoned(instance: Instance) -> bool:
    """Tell whether the last user has left; if so, nobody finds the instance any more."""
    if instance.used():
        return False
    with instance.alone():
        if instance.used():
            return False
        instance.forget()
        return True


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise _ToldToEnd
