"""The same interface written in the usual way with other tools, to be measured beside it."""
