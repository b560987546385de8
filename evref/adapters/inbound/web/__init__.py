"""What every interface over HTTP shares, in the order in which a request meets it.

`observation` (metrics, access log); `admission` (credentials, admission, cached responses, around
every view of the catalogue); `caching`; `representations` (bytes, ETag, gzip) and `negotiation`
(media type, coding); `headers` (of every response); `problems`, `errors` and `interfaces` (what
can go wrong, and which interface renders it); the frame of the pages in `templates` and `static`.
The interfaces build on this layer and never on each other.
"""
