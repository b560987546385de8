"""What operators and their tools watch: `health` and `metrics`."""
