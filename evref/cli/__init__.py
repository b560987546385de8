"""The command line: parse, call one use case, print. `main` is where it starts."""
