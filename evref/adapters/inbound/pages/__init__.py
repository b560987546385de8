"""The HTML pages, which share one layout."""
