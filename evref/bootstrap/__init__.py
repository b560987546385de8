"""Starts the service: settings, log, wiring, the WSGI application and the server.

Only `container` knows the adapter of each port, and only `settings` reads the environment.
"""
