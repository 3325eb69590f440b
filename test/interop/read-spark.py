"""Reads Iceberg tables with Spark, for services/spark.ts: one request as JSON on standard input, one answer."""

import json
import sys

request = json.load(sys.stdin)
# A session of docs/lake.md, as users copy it.
names = {}
exec(request["session"], names)
spark = names["spark"]


def sum_of(name, kind):
    """As table-sums.ts has it: of times microseconds, of dates days, of lists lengths, of texts hashes."""
    column = f"`{name}`"
    if kind.startswith("array"):
        return f"cast(size({column}) as decimal(38, 0))"
    if kind == "string":
        return f"cast(conv(substring(md5({column}), 1, 8), 16, 10) as decimal(38, 0))"
    if kind == "timestamp":
        return f"cast(unix_micros({column}) as decimal(38, 0))"
    if kind == "date":
        return f"cast(unix_date({column}) as decimal(38, 0))"
    if kind in ("float", "double"):
        return f"cast({column} as double)"
    if kind == "boolean":
        return f"cast(cast({column} as int) as decimal(38, 0))"
    return f"cast({column} as decimal(38, 0))"


def sum_up(table):
    rows = spark.table(table)
    parts = ["count(*)"]
    for name, kind in rows.dtypes:
        value = f"if(`{name}` is null, null, {sum_of(name, kind)})"
        parts += [f"count(`{name}`)", f"sum({value})"]
    sums = rows.selectExpr(*parts).collect()[0]
    columns = {}
    for place, (name, kind) in enumerate(rows.dtypes):
        count, total = sums[1 + 2 * place], sums[2 + 2 * place]
        is_fraction = kind in ("float", "double") and count > 0
        columns[name] = [count, round(total, 3) if is_fraction else str(int(total or 0))]
    return {"rows": sums[0], "columns": columns}


def ask(text):
    return [[str(value) for value in row] for row in spark.sql(text).collect()]


answer = {
    "version": spark.version,
    "tables": [sum_up(table) for table in request["tables"]],
    "answers": [ask(text) for text in request["queries"]],
}
spark.stop()
print()
print(json.dumps(answer))
