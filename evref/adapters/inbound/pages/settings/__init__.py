"""The institution settings: pages on which members manage API keys.

`blueprint` authenticates the member before each page and adds headers after it; `cookies` reads
and sets the cookies; `forgery` protects forms against forged requests; `drafts` keeps what was
typed through a new sign-in; `sign_in`, `api_keys` and `audit_log` are the pages, each of which
parses a form of `forms`, calls one use case and renders a template; `plot` draws the requests of a
key, `words` names its states and levels, and `times` puts times in words.
"""
