"""`python -m evref`, the same as `evref`."""

from evref.cli.main import main

if __name__ == "__main__":
    main()
