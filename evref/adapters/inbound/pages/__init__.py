"""The pages for people, in one frame."""
