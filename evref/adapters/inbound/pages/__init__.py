"""The pages for people: `reference` needs no sign-in, `settings` is for members of institutions."""
