"""Finds the interfaces: entry points of the group `evref.interfaces`, evref's own and others'."""

from importlib.metadata import entry_points

from evref.adapters.inbound.web.host import Interface
from evref.bootstrap.settings import INTERFACES, Settings, SettingsError, made_by


def enabled_interfaces(settings: Settings) -> dict[str, Interface]:
    """Return the interfaces that the operator has not switched off, in the order of their names."""
    found = sorted(entry_points(group=INTERFACES), key=lambda entry_point: entry_point.name)
    if not found:
        raise SettingsError("no interface is installed: run make install")
    interfaces: dict[str, Interface] = {}
    for entry_point in found:
        name = entry_point.name
        if name in interfaces:
            raise SettingsError(f"two interfaces have the name {name}")
        if settings.serves(name):
            interfaces[name] = made_by(entry_point, Interface, f"the interface {name}")
    names: dict[str, str] = {}
    for name, interface in interfaces.items():
        other = names.setdefault(interface.root, name)
        if other != name:
            raise SettingsError(f"the interfaces {other} and {name} have the path {interface.root}")
    return interfaces
