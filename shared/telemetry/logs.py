"""Log lines: JSON for machines, text for people; the same fields in both.

A line is a constant sentence and fields, given as `extra` or bound by `shared.telemetry.context`.
`FIELDS` come first and in this order, so that lines read alike whoever wrote them. A line is
always one line, whatever a value holds.
"""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TextIO

import msgspec

from shared.kernel.instants import print_precisely
from shared.runtime.settings import LogFormat, LogLevel
from shared.telemetry.context import current

FIELDS = (
    "service",
    "resource",
    "kind",
    "event",
    "action",
    "revision",
    "because",
    "error",
    "took",
)
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_OURS = ("heliograph", "services", "shared", "sandbox")
_encode = msgspec.json.Encoder(enc_hook=str).encode


def configure_logs(stream: TextIO, *, level: LogLevel, form: LogFormat) -> None:
    """Send all log lines of this process to the stream; others' code from `warning` up only."""
    output = logging.StreamHandler(stream)
    output.setFormatter(JsonLines() if form is LogFormat.JSON else TextLines())
    logging.captureWarnings(capture=True)
    root = logging.getLogger()
    root.handlers = [output]
    root.setLevel(logging.WARNING)
    for name in _OURS:
        logging.getLogger(name).setLevel(level.value.upper())


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Encode the record, its fields and, after an error, its traceback."""
        line = {
            "at": print_precisely(_moment(record)),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **_fields(record),
            "logger": record.name,
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return _encode(line).decode()


class TextLines(logging.Formatter):
    """Time, level, sentence and `field=value` pairs; a traceback below."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the record for a terminal."""
        fields = " ".join(f"{name}={_short(value)}" for name, value in _fields(record).items())
        moment = _moment(record).strftime("%H:%M:%S.%f")[:-3]
        message = _one_line(record.getMessage())
        line = f"{moment} {record.levelname.lower():<7} {message}  {fields}".rstrip()
        if record.exc_info:
            return f"{line}\n{self.formatException(record.exc_info)}"
        return line


def _fields(record: logging.LogRecord) -> Mapping[str, object]:
    extra = {name: value for name, value in vars(record).items() if name not in _STANDARD}
    known = {**current(), **extra}
    first = {name: known[name] for name in FIELDS if name in known}
    return {**first, **{name: known[name] for name in sorted(known.keys() - first.keys())}}


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, tz=UTC)


def _short(value: object) -> str:
    text = str(value)
    plain = text and text.isprintable() and not set(text) & set(" \"'=")
    return text if plain else _encode(text).decode()


def _one_line(text: str) -> str:
    return text if text.isprintable() else _encode(text).decode()
