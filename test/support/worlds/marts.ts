import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBDateValue, DuckDBListValue, DuckDBStructValue } from '@duckdb/node-api';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { type BuiltMonth, buildMarts, type MartsRequest } from '../../../pipeline/history/marts/build-marts.ts';
import { listDefinitions, type MartDefinition } from '../../../pipeline/history/marts/definitions.ts';
import { listMartMonths, martNames } from '../../../pipeline/history/marts/mart-manifest.ts';
import type { MartName } from '../../../pipeline/history/marts/mart-tables.ts';
import { publishStopEvents } from '../../../pipeline/history/stop-events/stop-event-store.ts';
import { martFile, workFolder } from '../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { dayFacts, type StopEventRow, selectRows } from './stop-events.ts';

export const limits = { onTimeMaxDelaySeconds: 330, lateMinDelaySeconds: 600, earlyMinSeconds: -60 };
const usualDefinitions: readonly MartDefinition[] = listDefinitions(limits, null);

/** Finalises a day of a source, or replaces it. */
export async function publishDay(
  dataDir: string,
  source: string,
  date: string,
  rows: readonly StopEventRow[],
): Promise<void> {
  const folder = path.join(workFolder(dataDir), `day-${source}-${date}`);
  const db = await openDuckdb({ threads: 1 });
  try {
    const facts = { sourceId: toSourceId(source), serviceDate: date as ServiceDate, rowsIn: rows.length };
    const select = rows.length > 0 ? selectRows(rows) : `select * from (${selectRows([{}])}) where false`;
    await publishStopEvents(db, dataDir, folder, select, dayFacts(facts));
  } finally {
    db.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds the marts of the test's stop events. */
export async function build(dataDir: string, reported: Partial<MartsRequest> = {}): Promise<BuiltMonth[]> {
  const request: MartsRequest = {
    dataDir,
    settings: { memoryLimit: '1GB', threads: 1 },
    definitions: usualDefinitions,
    from: null,
    to: null,
    isForced: false,
    isDryRun: false,
    ...reported,
  };
  return buildMarts(request, { clock: fixedClock('2026-03-01T12:00:00.000Z'), log: silentLog });
}

/**
 * Rows of all marts as texts, in order of the files, for comparing whole folders.
 * @returns by mart and day, or month, as in `line_daily 2026-01-15`
 */
export async function readMartTexts(dataDir: string): Promise<Map<string, string[]>> {
  const months = await listMartMonths(dataDir);
  const texts = new Map<string, string[]>();
  const db = await openDuckdb({ threads: 1 });
  try {
    for (const mart of martNames) {
      const files = months.map((month) => martFile(dataDir, mart, month)).filter((file) => existsSync(file));
      if (files.length === 0) continue;
      const day = mart === 'worst_connections' ? 'month_start' : 'service_date';
      const rows = await db.query(`select ${day}::varchar as day, mart::json::varchar as words
        from read_parquet([${files.map(sqlText).join(', ')}], hive_partitioning = false) as mart`);
      for (const { day: of, words } of rows) {
        const key = `${mart} ${of}`;
        texts.set(key, [...(texts.get(key) ?? []), String(words)]);
      }
    }
  } finally {
    db.close();
  }
  return texts;
}

export type PlainRow = Readonly<Record<string, unknown>>;

/** Rows of a mart, of all months, in order of the files; dates as texts, lists as arrays of objects. */
export async function readMart(dataDir: string, mart: MartName, where = 'true'): Promise<PlainRow[]> {
  const all = (await listMartMonths(dataDir)).map((month) => martFile(dataDir, mart, month));
  const files = all
    .filter((file) => existsSync(file))
    .map(sqlText)
    .join(', ');
  if (files === '') return [];
  const db = await openDuckdb({ threads: 1 });
  try {
    const rows = await db.query(`from read_parquet([${files}], hive_partitioning = false) where ${where}`);
    return rows.map((row) => toPlain(new DuckDBStructValue(row)) as PlainRow);
  } finally {
    db.close();
  }
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof DuckDBDateValue) return value.toString();
  if (value instanceof DuckDBListValue) return value.items.map(toPlain);
  if (!(value instanceof DuckDBStructValue)) return value;
  return Object.fromEntries(Object.entries(value.entries).map(([name, entry]) => [name, toPlain(entry)]));
}
