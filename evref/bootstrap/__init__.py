"""Starts the service.

Only `container` knows the adapter of each port, and only `settings` reads the environment.
"""
