"""Configures the service's log on standard error, as text or as JSON."""

import logging.config

from evref.bootstrap.settings import LogFormat
from evref.domain.redaction import without_keys

_FORMATTERS = {
    # The same format as gunicorn's own log, which is also written to standard error.
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
    """Masks what looks like an API key, because a library may log text of a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = without_keys(record.getMessage()), ()
        if record.exc_info:
            # Formatters use this text if there is no exc_info.
            record.exc_text = without_keys(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        if record.stack_info:
            record.stack_info = without_keys(record.stack_info)
        return True


def configure(log_format: LogFormat) -> None:
    """Write one line per event. As JSON, a line is an object with `timestamp` (RFC 3339, UTC),
    `level`, `logger`, `process`, `message`, `traceback` if there is one, and the extra fields of
    the event, such as `request_id` and `key_id`.
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
                # gunicorn sets it to False.
                "gunicorn.error": {"level": "INFO", "propagate": True},
            },
        }
    )
