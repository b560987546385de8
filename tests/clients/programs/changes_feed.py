"""The feed of what is new, as a reader of feeds reads it."""

import os
import sys
from urllib.request import urlopen

import feedparser
from lxml import etree

with urlopen(f"{os.environ['EVREF_URL']}/catalogue/changes.atom", timeout=60) as answer:
    assert answer.headers.get_content_type() == "application/atom+xml"
    body = answer.read()

etree.RelaxNG(etree.parse(sys.argv[1])).assertValid(etree.fromstring(body))
read = feedparser.parse(body)
assert not read.bozo, read.bozo_exception
assert read.feed.id.startswith("tag:")
(entry,) = read.entries
assert entry.id.startswith("tag:")
assert entry.id != read.feed.id
assert "<li>Added: Knee osteoarthritis</li>" in entry.content[0].value
