"""Reads Iceberg tables with PyIceberg, for services/pyiceberg.ts: one request as JSON on standard input, one answer."""

import hashlib
import json
import os
import sys

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.table import StaticTable


def open_table(folder, version=None):
    if version is None:
        with open(f"{folder}/metadata/version-hint.text") as hint:
            version = hint.read().strip()
    return StaticTable.from_metadata(f"{folder}/metadata/v{version}.metadata.json")


def sum_texts(values):
    """Each text is hashed once, however often it is there."""
    counts = ((count["values"].as_py(), count["counts"].as_py()) for count in pc.value_counts(values))
    return sum(int(hashlib.md5(text.encode()).hexdigest()[:8], 16) * number for text, number in counts)


def sum_up(column):
    """Values of a column that are not null, and their sum, as table-sums.ts has it."""
    values = pc.drop_null(column)
    kind = values.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        numbers = pc.list_value_length(values)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return [len(values), str(sum_texts(values))]
    elif pa.types.is_timestamp(kind):
        numbers = pc.cast(values, pa.int64())
    elif pa.types.is_date(kind):
        numbers = pc.cast(values, pa.int32())
    elif pa.types.is_boolean(kind):
        numbers = pc.cast(values, pa.int32())
    else:
        numbers = values
    total = sum(numbers.to_pylist())
    return [len(values), round(total, 3) if isinstance(total, float) else str(total)]


def count_files(table, row_filter):
    scan = table.scan() if row_filter is None else table.scan(row_filter=row_filter)
    return sum(1 for _ in scan.plan_files())


def sum_up_table(table):
    rows = table.scan().to_arrow()
    return {
        "rows": rows.num_rows,
        "columns": {name: sum_up(rows[name]) for name in rows.column_names},
    }


def read(folder, filters):
    table = open_table(folder)
    files = [count_files(table, row_filter) for row_filter in [None, *filters]]
    return {**sum_up_table(table), "files": files}


def read_catalog(session, tables):
    """Tables of the catalog that a session of docs/lake.md opens, as users copy it."""
    names = {}
    exec(session, names)
    return [sum_up_table(names["catalog"].load_table(table)) for table in tables]


def read_at(folder, version, column):
    rows = open_table(folder, version).scan(selected_fields=(column,)).to_arrow()
    return sorted(set(rows[column].to_pylist()))


def watch(folder, column, until):
    """Reads a table again and again until a file is there; returns every state that was seen."""
    states = set()
    reads = 0
    print("watching", file=sys.stderr, flush=True)
    while not os.path.exists(until):
        rows = open_table(folder).scan(selected_fields=(column,)).to_arrow()
        states.add(tuple(sorted(set(rows[column].to_pylist()))))
        reads += 1
    return {"reads": reads, "states": sorted(states)}


ANSWERS = {"read": read, "read_catalog": read_catalog, "read_at": read_at, "watch": watch}

request = json.load(sys.stdin)
json.dump([ANSWERS[name](*arguments) for name, *arguments in request], sys.stdout)
