"""Starts the service: settings, log, wiring, the WSGI application and the server.

`container` alone knows which adapter stands behind each port, and `settings` alone reads the
environment.
"""
