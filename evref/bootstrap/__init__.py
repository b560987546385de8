"""Starts the service. Only `container` knows the adapters, only `settings` the environment."""
