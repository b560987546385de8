"""The pages for people.

`frame` is what all of them stand in: who is looking, and the cache; `reference` has the front page,
Swagger UI and the problems; `catalogue` is for readers; `settings` is for members of institutions.
"""
