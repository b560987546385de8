"""Parameters that a client posts as a form, to keep them out of addresses and logs."""

from flask import request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import UnsupportedMediaType

_MOST_BYTES = 16 * 1024


def parameters() -> MultiDict[str, str]:
    """Return the parameters of the address, and of a posted form of at most 16 KiB.

    Raises:
        UnsupportedMediaType: If the body has another media type.
        RequestEntityTooLarge: If it is larger.

    """
    if request.method != "POST":
        return request.args
    has_body = bool(request.content_length or request.headers.get("Transfer-Encoding"))
    if has_body and request.mimetype != "application/x-www-form-urlencoded":
        raise UnsupportedMediaType
    request.max_content_length = request.max_form_memory_size = _MOST_BYTES
    return MultiDict([*request.args.items(multi=True), *request.form.items(multi=True)])
