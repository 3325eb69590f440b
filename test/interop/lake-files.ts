import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDuckdb, sqlPattern } from '../../pipeline/effects/duckdb.ts';
import { readSession } from './page-sessions.ts';
import { writeLake } from './published-lake.ts';
import { installPythonPackages, runTool } from './tools.ts';

const PACKAGES = ['pyarrow==26.0.1', 'pandas==3.1.1'];
/** Pages that show how pyarrow and pandas read the lake. */
const PAGES = ['docs/lake.md', 'pipeline/guide/lake-readme.md'];
/** Path of the lake in the code of the pages. */
const LAKE = '/srv/taktgeber/data/lake';
const IN_JANUARY = "service_date between date '2026-01-01' and date '2026-01-31'";

/** Numbers that a reader found in January. */
interface Found {
  readonly rows: number;
  readonly delaySum: number;
  readonly days: readonly string[];
}

/** Prints the content of `table`, the number of files read, and the number of all files. */
const SUM_UP_TABLE = `
import json
import pyarrow.compute as pc
files = [len(list(stop_events.get_fragments(filter=january))), len(stop_events.files)]
days = sorted({str(day) for day in table["service_date"].to_pylist()})
print(json.dumps({"rows": table.num_rows, "delaySum": pc.sum(table["delay_seconds"]).as_py(), "days": days, "files": files}))
`;

/** Prints the content of `frame`. */
const SUM_UP_FRAME = `
import json
days = sorted({day.isoformat() for day in frame["service_date"]})
print(json.dumps({"rows": len(frame), "delaySum": int(frame["delay_seconds"].sum()), "days": days}))
`;

/** Prints the rows of a day by its text, the error of a comparison with a date, and the rows of a day and month of a mart. */
const WITHOUT_TYPES = (dataDir: string) => `
import datetime, json
import pandas as pd
data = ${JSON.stringify(dataDir)}
day = datetime.date(2026, 1, 15)
text = pd.read_parquet(data + "/lake/stop_events", columns=["event"], filters=[("service_date", "==", "2026-01-15")])
try:
    pd.read_parquet(data + "/lake/stop_events", columns=["event"], filters=[("service_date", "==", day)])
    error = None
except Exception as failure:
    error = str(failure)
mart = pd.read_parquet(data + "/marts/line_daily", filters=[("month", "==", "2026-01"), ("service_date", "==", day)])
print(json.dumps({"rows": len(text), "error": error, "martRows": len(mart)}))
`;

/**
 * Checks that pyarrow and pandas, with the code of the pages, read the same rows of a month of stop events as DuckDB.
 * @returns a summary of what was read
 * @throws Error if they cannot be installed or read other rows
 */
export async function readLakeFiles(): Promise<string> {
  const python = await installPythonPackages('pandas', PACKAGES);
  const run = async <Answer>(program: string) => JSON.parse(await runTool(python, ['-'], program)) as Answer;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-lake-'));
  try {
    await writeLake(dataDir);
    const expected = await readWithDuckdb(dataDir);
    const addresses = { [LAKE]: path.join(dataDir, 'lake') };
    for (const page of PAGES) {
      const table = await readSession(['to_table'], addresses, page);
      const { files, ...read } = await run<Found & { readonly files: readonly number[] }>(table + SUM_UP_TABLE);
      assertSame(`pyarrow, by ${page}`, { ...read, files }, { ...expected.january, files: expected.files });
      const frame = await readSession(['pd.read_parquet'], addresses, page);
      assertSame(`pandas, by ${page}`, await run(frame + SUM_UP_FRAME), expected.january);
    }
    const { error, ...counts } = await run<{ readonly error: string | null }>(WITHOUT_TYPES(dataDir));
    assertSame('pandas without types', counts, expected.withoutTypes);
    if (!error?.includes("Function 'equal' has no kernel matching input types")) {
      throw new Error(`a comparison of a text with a date ends with ${error}`);
    }
    const [read, all] = expected.files;
    return `${expected.january.rows} rows of a month from ${read} of ${all} files, as DuckDB reads them, by ${PACKAGES.join(' and ')}`;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function assertSame(reader: string, found: object, expected: object): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
  if (is !== should) throw new Error(`${reader}: ${is}, and DuckDB: ${should}`);
}

/** Reads the expected numbers with DuckDB. @throws Error if a filter would not exclude any file */
async function readWithDuckdb(dataDir: string) {
  const stopEvents = `read_parquet(${sqlPattern(dataDir, 'lake', 'stop_events', '*', '*', '*.parquet')}, filename = true)`;
  const mart = `read_parquet(${sqlPattern(dataDir, 'marts', 'line_daily', '*', '*.parquet')})`;
  const db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
  try {
    const [row] = await db.query(`
      select
        count(*) filter (${IN_JANUARY})::int as rows,
        sum(delay_seconds) filter (${IN_JANUARY})::int as delay_sum,
        list_sort(list(distinct service_date::varchar) filter (${IN_JANUARY})) as days,
        count(distinct filename) filter (${IN_JANUARY})::int as files,
        count(distinct filename)::int as all_files,
        count(*) filter (service_date = date '2026-01-15')::int as rows_of_day,
        (select count(*)::int from ${mart} where service_date = date '2026-01-15') as mart_rows
      from ${stopEvents}`);
    const { rows, delay_sum, days, files, all_files, rows_of_day, mart_rows } = row as Record<string, number> & {
      readonly days: { readonly items: readonly string[] };
    };
    if (!(rows! > 0 && rows_of_day! > 0 && mart_rows! > 0 && files! < all_files!)) {
      throw new Error(`the lake of the check has no month among others: ${files} of ${all_files} files, ${rows} rows`);
    }
    return {
      january: { rows: rows!, delaySum: delay_sum!, days: days.items },
      files: [files!, all_files!],
      withoutTypes: { rows: rows_of_day!, martRows: mart_rows! },
    };
  } finally {
    db.close();
  }
}
