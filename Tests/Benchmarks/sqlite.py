"""Times durable records in SQLite: lines of 573 bytes, as the audit service stores them, one and 64 in a transaction.

    sqlite.py FOLDER

One process writes, with a write-ahead log that is synced at each commit (synchronous=FULL).
"""

import os
import sqlite3
import sys
import time

SECONDS = 3

for batch in (1, 64):
    path = os.path.join(sys.argv[1], f"{batch}.sqlite")
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("pragma journal_mode=wal")
    database.execute("pragma synchronous=full")
    database.execute("create table records (line text)")
    line = "x" * 573
    count, start, used = 0, time.monotonic(), time.process_time()
    while time.monotonic() - start < SECONDS:
        database.execute("begin")
        database.executemany("insert into records values (?)", ((line,) for _ in range(batch)))
        database.execute("commit")
        count += batch
    seconds = time.monotonic() - start
    print(
        f"SQLite {sqlite3.sqlite_version}, {batch} in a transaction: {count / seconds:,.0f} records/s, "
        f"{(time.process_time() - used) / count * 1e6:.1f} µs of the processor each"
    )
    database.close()
