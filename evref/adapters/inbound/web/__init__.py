"""Code that all HTTP interfaces share, in the order in which a request passes through it.

`observation` (metrics, access log); `admission` (credentials, admission, cached responses, around
every view of the catalogue); `caching`; `representations` (bytes, ETag, gzip) and `negotiation`
(media type, coding); `headers` (of every response); `problems`, `errors` and `interfaces` (the
errors, and the interface that renders each); the layout of the pages in `templates` and `static`.
The interfaces depend on this layer and never on each other.
"""
