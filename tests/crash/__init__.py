"""Kills processes during writes; afterwards the data must be either old or new, never a mixture."""
