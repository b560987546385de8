"""How the service's log is written: to standard error, as lines for people or as JSON."""

from __future__ import annotations

import logging.config

from evref.bootstrap.settings import LogFormat
from evref.domain.access.key import without_keys

_FORMATTERS = {
    # As gunicorn writes its own, which go to the same place.
    LogFormat.TEXT: {
        "format": "%(asctime)s [%(process)d] [%(levelname)s] %(message)s",
        "datefmt": "[%Y-%m-%d %H:%M:%S %z]",
    },
    LogFormat.JSON: {
        "()": "pythonjsonlogger.json.JsonFormatter",
        "fmt": ["levelname", "name", "process", "message"],
        "rename_fields": {"levelname": "level", "name": "logger", "exc_info": "traceback"},
        "timestamp": True,
        "json_ensure_ascii": False,
    },
}


class WithoutKeys(logging.Filter):
    """Takes what looks like an API key out of a message.

    A library's log may quote a request that it could not read, and a client may have put a key
    into any part of it.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        shown = without_keys(message)
        if shown != message:
            record.msg, record.args = shown, ()
        return True


def configure(log_format: LogFormat) -> None:
    """Write one line an event. As JSON, it is one object a line, with `timestamp` (RFC 3339, UTC),
    `level`, `logger`, `process`, `message`, where there is one `traceback`, and what the event
    has besides, such as `request_id` and `key_id`.
    """
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"line": _FORMATTERS[log_format]},
            "filters": {"without_keys": {"()": WithoutKeys}},
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "formatter": "line",
                    "filters": ["without_keys"],
                }
            },
            "root": {"level": "WARNING", "handlers": ["stderr"]},
            "loggers": {
                "evref": {"level": "INFO"},
                # gunicorn has it kept to its own handler.
                "gunicorn.error": {"level": "INFO", "propagate": True},
            },
        }
    )
