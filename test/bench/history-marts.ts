import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { type Duckdb, openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { buildMarts } from '../../pipeline/history/marts/build-marts.ts';
import { listDefinitions, nameRules } from '../../pipeline/history/marts/definitions.ts';
import { castTo, martTables, orderOf } from '../../pipeline/history/marts/mart-tables.ts';
import { findStopEventManifest, stopEventFile } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { martFile, martsFolder } from '../../pipeline/lake/paths.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { historyTables } from '../../pipeline/snapshots/history-contract.ts';
import { publishHistory } from '../../pipeline/snapshots/publish-history.ts';
import { warningsOnly } from './child-tasks.ts';
import { type HistorySize, isDistinct, LAST_DAY, listDays, templateOf } from './history-lake.ts';

const limits = { onTimeMaxDelaySeconds: 330, lateMinDelaySeconds: 600, earlyMinSeconds: -60 };
const definitions = listDefinitions(limits, null);
/** Default setting. */
const settings = { memoryLimit: '1500MB', threads: 0 };

/** A whole month of the lake, in which nearly all days have their own rows. */
export const MEASURED_MONTH = '2026-02';

/**
 * Provides the marts of the lake, reused from earlier runs. The code of the job builds those of the last weeks; earlier
 * months reuse these rows under other dates, like their stop events.
 */
export async function provideMarts(
  dataDir: string,
  size: HistorySize,
  progress: (line: string) => void,
): Promise<void> {
  const marker = path.join(martsFolder(dataDir), 'bench.txt');
  const wanted = `${nameRules(definitions)} ${size.days}\n`;
  if (existsSync(marker) && (await readFile(marker, 'utf8')) === wanted) return;
  progress('building the marts: two minutes');
  const from = `${MEASURED_MONTH}-01` as ServiceDate;
  const request = { dataDir, settings, definitions, from, to: LAST_DAY, isForced: false, isDryRun: false };
  await buildMarts(request, { clock: systemClock, log: warningsOnly });
  const others = listDays(size).filter((date) => date < from);
  const db = await openDuckdb({ memoryLimit: '3GB', temporaryFolder: path.join(dataDir, 'tmp', 'bench-spill') });
  try {
    for (const month of [...new Set(others.map((date) => date.slice(0, 7)))]) {
      await deriveMonth(
        db,
        dataDir,
        month,
        others.filter((date) => date.startsWith(month)),
      );
    }
  } finally {
    db.close();
  }
  await writeFile(marker, wanted);
}

async function deriveMonth(db: Duckdb, dataDir: string, month: string, dates: readonly ServiceDate[]): Promise<void> {
  const pairs = dates.map((date) => `(date ${sqlText(date)}, date ${sqlText(templateOf(date))})`).join(', ');
  for (const mart of historyTables) {
    const made = [MEASURED_MONTH, LAST_DAY.slice(0, 7)].map((name) => sqlText(martFile(dataDir, mart, name)));
    const select = `select made.* replace (day as service_date) from (values ${pairs}) as days(day, template)
      join read_parquet([${made.join(', ')}], hive_partitioning = false) as made on made.service_date = template`;
    const file = martFile(dataDir, mart, month);
    await mkdir(path.dirname(file), { recursive: true });
    await db.run(
      `copy (from (${castTo(mart, select)}) order by ${orderOf(mart)}) to ${sqlText(file)}
       (format parquet, compression zstd, row_group_size ${martTables[mart].rowGroupSize})`,
    );
  }
}

/** Publishes the marts as the job does. */
export async function publishBenchHistory(dataDir: string): Promise<void> {
  const duckdb = { memoryLimit: settings.memoryLimit };
  const effects = { clock: systemClock, log: warningsOnly };
  await publishHistory({ dataDir, definition: limits, keepSnapshots: 1, duckdb }, effects);
}

export interface MonthMeasures {
  readonly seconds: number;
  readonly days: number;
  readonly peakBytes: number;
}

/** Rebuilds all days of a month. */
export async function measureMonth({ dataDir }: { dataDir: string }): Promise<MonthMeasures> {
  const from = `${MEASURED_MONTH}-01` as ServiceDate;
  const to = `${MEASURED_MONTH}-28` as ServiceDate;
  const started = performance.now();
  const request = { dataDir, settings, definitions, from, to, isForced: true, isDryRun: false };
  const [month] = await buildMarts(request, { clock: systemClock, log: warningsOnly });
  const seconds = (performance.now() - started) / 1000;
  return { seconds, days: month?.made.length ?? 0, peakBytes: process.resourceUsage().maxRSS * 1024 };
}

/** Bytes and rows of the days that have their own rows. */
export async function measureDisk(dataDir: string, size: HistorySize): Promise<{ bytes: number; rows: number }> {
  const sum = { bytes: 0, rows: 0 };
  for (const date of listDays(size).filter(isDistinct)) {
    for (const name of ['live', 'land']) {
      const source = toSourceId(name);
      sum.bytes += (await stat(stopEventFile(dataDir, source, date))).size;
      sum.rows += (await findStopEventManifest(dataDir, source, date))!.rows;
    }
  }
  return sum;
}
