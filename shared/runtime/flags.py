"""Flags as Go's flag package takes them, rewritten as ours: one dash or two, bare switches.

KubeRay's command lines say `-enable-leader-election` and `-metrics-addr=:8080`. Only names that are
in our tables are touched, so that short options of other commands stay what they are. Go never
takes the next word as the value of a switch; we do if it is one, since everybody means it so.
"""

from collections.abc import Iterator, Sequence

from shared.runtime.kinds import is_truth
from shared.runtime.kuberay import THEIRS, Form
from shared.runtime.options import OPTIONS
from shared.runtime.reading import CONFIG_FLAG, kind_of

_SWITCHES = frozenset(
    [option.flag for option in OPTIONS if kind_of(option) is bool]
    + [f"--{one.flag}" for one in THEIRS if one.flag and one.form is Form.TRUTH]
)
_NAMES = frozenset(
    [CONFIG_FLAG]
    + [option.flag for option in OPTIONS]
    + [f"--{one.flag}" for one in THEIRS if one.flag]
)


def rewritten(arguments: Sequence[str]) -> list[str]:
    """Return the command line with two dashes and a value wherever a flag of ours has not."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    ours = list(arguments[:end])
    return [*_rewritten(ours), *arguments[end:]]


def _rewritten(arguments: Sequence[str]) -> Iterator[str]:
    for word, following in zip(arguments, [*arguments[1:], ""], strict=False):
        name, equals, value = word.partition("=")
        flag = f"--{name.lstrip('-')}"
        if name not in (flag, flag[1:]) or flag not in _NAMES:
            yield word
        elif not equals and flag in _SWITCHES and not is_truth(following):
            yield f"{flag}=true"
        else:
            yield f"{flag}{equals}{value}"
