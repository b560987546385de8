"""The configuration of `gunicorn wsgi:app` in this folder, the same as for `evref serve`."""

from evref.bootstrap.server import gunicorn_settings, remove_metrics_of_ended_workers
from evref.bootstrap.settings import Settings

globals().update(gunicorn_settings(), preload_app=True)


def on_starting(_arbiter: object) -> None:
    remove_metrics_of_ended_workers(Settings.read().metrics_folder)
