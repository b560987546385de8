"""A process that admits requests: started with a URL, a digest, a day and how many requests.

It tells on standard output that it is ready, waits for a line on standard input, then tells the
counts that its admitted requests got, and how many were refused.
"""

import json
import sys
from datetime import date

from evref.adapters.outbound.sql import SqlDatabase, SqlUsage
from evref.domain.access.key import Permission


def main(url: str, digest: str, day: str, times: str) -> None:
    database = SqlDatabase(url)
    usage = SqlUsage(database)
    print("ready", flush=True)  # noqa: T201 - read by the test
    sys.stdin.readline()
    tallies = [
        usage.admit(digest, Permission.READ, date.fromisoformat(day)) for _ in range(int(times))
    ]
    counts = [tally.admitted for tally in tallies if tally.was_admitted]
    print(json.dumps({"counts": counts, "refused": len(tallies) - len(counts)}))  # noqa: T201
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
