"""The configuration of `gunicorn wsgi:app` in this folder, the same as for `evref serve`."""

from evref.bootstrap.server import *  # noqa: F403 - gunicorn reads the names of this module
