"""For any WSGI server: `gunicorn wsgi:app`."""

from evref.bootstrap.app import create_app_or_exit

app = create_app_or_exit()
