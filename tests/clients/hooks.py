"""What schemathesis cannot know from the OpenAPI document."""

from typing import Any

import schemathesis


@schemathesis.hook
def filter_query(_: schemathesis.HookContext, query: dict[str, Any]) -> bool:
    """Leave out searches for a text without a letter or digit.

    They are refused, as the document says in words. No pattern would say it: the classes of
    Unicode are written in one way for JSON Schema and in another for half of its readers.
    """
    words = (query or {}).get("q")
    return not isinstance(words, str) or words == "" or any(map(str.isalnum, words))
