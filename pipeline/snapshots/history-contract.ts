import path from 'node:path';
import { findPointedId } from '../effects/files.ts';
import type { SourceId } from '../model/ids.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { type MartFile, type MartManifest, type MartSnapshotKind, readMartManifest } from './mart-snapshot.ts';

/**
 * The history snapshot: all data of past service days that the api reads. It holds the files of the marts as of one
 * instant, so that an answer never mixes two states of them: one file for each table and month.
 * All tables have `source`, which is `'*'` where all sources were merged and each call counts once, `service_date`, the
 * definition (`definitionColumns`), and the counts `scheduled`, `observed`, `derived`, `forecasts`, `on_time`, `early` and
 * `late10` (of the observed), `cancelled`, `replaced` (of the cancelled) and `delay_sum_seconds` (of the observed). A
 * line is its label, product and operator: each is `''` where unknown.
 * - `network_hourly`: by weekday and hour; sorted by source, service date
 * - `operator_hourly`: by operator, weekday and hour; sorted by source, operator, service date
 * - `line_daily`: by line; sorted by source, label, service date
 * - `punctuality_cube`: by line, weekday and hour; sorted by source, label, service date
 * - `stop_daily`: by feed source, stop and line, with a list `hours`; sorted by source, feed source, stop
 * - `trip_daily`: trips with a number, over all sources, by observed times alone and without a definition; sorted by
 *   number
 */
export const historyTables = [
  'network_hourly',
  'operator_hourly',
  'line_daily',
  'punctuality_cube',
  'stop_daily',
  'trip_daily',
] as const;

export type HistoryTable = (typeof historyTables)[number];

/** Raised with every change of the tables: a snapshot of another format is refused by name. */
const HISTORY_FORMAT_VERSION = 5;

export const HISTORY: MartSnapshotKind = {
  kind: 'history',
  formatVersion: HISTORY_FORMAT_VERSION,
  job: 'build-marts',
};

/** Source name of all sources merged. */
export const ALL_SOURCES = '*';

/**
 * Evidence by which calls count as observed: observed times alone; final forecasts where nothing was observed
 * (`is_final_forecast` of the stop events); or the last forecast of any age.
 */
export type CountedEvidence = 'observed_actual' | 'last_forecast' | 'forecast';

/** Limits of "on time", "late" and "early" in the counts. */
export interface PunctualityDefinition {
  /** On time is a delay below this. */
  readonly onTimeMaxDelaySeconds: number;
  /** `late10` is a delay of this or more. */
  readonly lateMinDelaySeconds: number;
  /** Early is a delay of this or less; negative. */
  readonly earlyMinSeconds: number;
}

export type HistoryFile = MartFile<HistoryTable>;

/** Columns of the definition in every table. */
export const definitionColumns = [
  'on_time_max_delay_seconds',
  'late_min_delay_seconds',
  'early_min_seconds',
  'evidence',
] as const;

export type DefinitionColumn = (typeof definitionColumns)[number];

export interface HistoryManifest extends MartManifest<HistoryTable> {
  readonly kind: 'history';
  readonly definition: PunctualityDefinition;
  /** Columns in which rows of other definitions differ from it: a query has to name the values that it means. */
  readonly definitionColumns: readonly DefinitionColumn[];
  /** Whether there are rows of the same limits with evidence `last_forecast`. */
  readonly hasLastForecasts: boolean;
  /** Sources with rows, without `'*'`; sorted. */
  readonly sources: readonly SourceId[];
  /** First and last service date with rows; null where there are no rows. */
  readonly firstDate: ServiceDate | null;
  readonly lastDate: ServiceDate | null;
}

export function historySnapshotsFolder(dataDir: string): string {
  return path.join(dataDir, 'snapshots', 'history');
}

/** Id of the published snapshot; null while there is none. */
export async function findCurrentHistoryId(dataDir: string): Promise<string | null> {
  return findPointedId(path.join(historySnapshotsFolder(dataDir), 'current.json'));
}

/**
 * Reads the manifest of a snapshot, and checks that all of its files are there.
 * @throws ExternalError `snapshot_damaged`
 */
export async function readHistoryManifest(dataDir: string, id: string): Promise<HistoryManifest> {
  return (await readMartManifest(historySnapshotsFolder(dataDir), id, HISTORY)) as HistoryManifest;
}
