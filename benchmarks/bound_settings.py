"""The settings of gunicorn for the bound: as deployed, but there is no catalogue to follow."""

from evref.bootstrap.server import gunicorn_settings

globals().update(gunicorn_settings(), preload_app=True, post_worker_init=lambda _worker: None)
