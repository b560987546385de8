"""The pages for people.

`frame` has the member and the cache for all pages; `reference` has the front page, Swagger UI and
the problems; `catalogue` is for readers; `settings` is for members of institutions.
"""
