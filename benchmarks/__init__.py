"""Measures the service's speed as ratios to the upper bound of its server, in one run."""
