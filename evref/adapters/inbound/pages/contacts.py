"""The operator's contact, an https: or e-mail address, as a link."""

from urllib.parse import quote, urlencode, urlsplit


def link(contact: str) -> str:
    return contact if contact.startswith("https:") else f"mailto:{quote(contact, safe='@')}"


def report(contact: str, entry_id: str, version: str, address: str) -> str:
    """Return the link to report an error; it prefills the id, version and address of the entry."""
    if contact.startswith("https:"):
        parts = urlsplit(contact)
        entry = urlencode({"entry": entry_id, "version": version})
        return parts._replace(query=f"{parts.query}&{entry}".lstrip("&")).geturl()
    fields = {
        "subject": f"Error in {entry_id}",
        "body": f"Entry: {entry_id}\r\nVersion: {version}\r\nPage: {address}\r\n\r\n",
    }
    return f"{link(contact)}?{urlencode(fields, quote_via=quote)}"
