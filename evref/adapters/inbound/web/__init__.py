"""What every way in over HTTP shares, in the order in which a request meets it.

`admission` (credentials, admission, cached answers, conditional responses); `representations`
(bytes, ETag, gzip); `problems` and `errors` (what can go wrong, and how it is rendered); `headers`
(what every response carries); `observation` (what operators watch); and the frame of the pages in
`templates` and `static`. The ways in build on this layer and never on each other.
"""
