"""The command line: parse, call one use case, print. `main` is the entry point."""
