"""How fast the service is, as ratios to what the same server can do at most, in one run."""
