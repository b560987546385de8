"""The institution settings: pages on which members make, watch and revoke API keys.

`blueprint` stands before every page (who is asking?) and behind it (what every answer carries);
`cookies` keeps what browsers hold; `forgery` tells forms of these pages from forged ones;
`sign_in`, `api_keys` and `audit_log` are the pages, each of which parses a form of `forms`, calls
one use case and renders; `plot` draws a key's requests.
"""
