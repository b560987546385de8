"""The settings of gunicorn for the bound: as deployed, but there is no catalogue to follow."""

from evref.bootstrap import server

globals().update({name: value for name, value in vars(server).items() if not callable(value)})
