import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, sqlName, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { findJson, listNames, writeJsonAtomically } from '../../effects/files.ts';
import type { InsertColumn } from '../../effects/insert-columns.ts';
import { assertMayPublish } from '../../effects/publication-guard.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { parquetFacts, publishPartition } from '../../lake/parquet-facts.ts';
import { featureManifestFile, featurePartition, featuresFolder } from '../../lake/paths.ts';
import { isSourceId, type SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import type { ImplausibleCounts } from '../features/implausible-calls.ts';
import { FEATURE_RULES_VERSION, featureColumns } from '../features/instant-rows.ts';
import { takeValues } from '../features/take-values.ts';
import type { ModelRows } from '../model/delay-model.ts';
import { requestedAt } from '../model/delay-model.ts';
import { LEARN, TEST, VALIDATION } from '../model/share-out-days.ts';
import type { LearningDay } from './learning-days.ts';
import type { LearningSet } from './make-features.ts';

/** The columns before those of `featureColumns`. Delays and durations are seconds. */
const factColumns = {
  service_day: ['integer', 'Days since 1970 of the service date.'],
  trip_id: ['varchar', 'As in the stop events.'],
  from_position: [
    'integer',
    'The call whose departure, or arrival where `is_standing`, is the instant up to which the features know events.',
  ],
  to_position: ['integer', 'The later call whose arrival is to be predicted.'],
  role: ['integer', '1 for training, 2 for validation, 3 for the comparison of models.'],
  asked_at: ['double', 'UTC. The instant.'],
  known_at: ['double', 'UTC. Time of the arrival.'],
  horizon_seconds: ['float', 'From the planned departure to the planned arrival.'],
  current_delay_seconds: ['float', 'At the instant: on the grid.'],
  delay_seconds: ['float', 'Of the arrival, the target of training: on the grid.'],
  beyond_grid_seconds: ['integer', 'Of the arrival, the remainder that the grid leaves out.'],
  expected_beyond_grid_seconds: ['integer', 'The expected value of this remainder.'],
} as const;

/** Stored as instants, and worked with as seconds. */
const instantColumns = { asked_at: true, known_at: true } as const;

const columnNames = [...Object.keys(factColumns), ...featureColumns];

/** What features were built from. */
export interface FeatureManifest {
  readonly sourceId: SourceId;
  readonly firstDay: ServiceDate;
  readonly lastDay: ServiceDate;
  readonly days: number;
  readonly gridSeconds: number;
  /** Equal for equal inputs and rules. */
  readonly hash: string;
  readonly rows: { readonly learn: number; readonly judge: number; readonly compare: number };
  /** Excluded calls of these days, by code. */
  readonly implausible: ImplausibleCounts;
  readonly builtAt: string;
}

export async function findFeatureManifest(dataDir: string, source: SourceId): Promise<FeatureManifest | null> {
  return findJson<FeatureManifest>(featureManifestFile(dataDir, source));
}

/** Sources with features in the lake, by name; includes features whose build was interrupted. */
export async function listFeatureSources(dataDir: string): Promise<SourceId[]> {
  const names = (await listNames(featuresFolder(dataDir))).sort();
  return names.map((name) => name.replace(/^source=/, '')).filter(isSourceId);
}

/** Removes the features of a source. The manifest goes first: without it, a half-removed folder counts as absent. */
export async function removeFeatures(dataDir: string, source: SourceId): Promise<void> {
  await assertMayPublish();
  await rm(featureManifestFile(dataDir, source), { force: true });
  await rm(featurePartition(dataDir, source), { recursive: true, force: true });
}

/** Hash of everything that features of these days would be built from. */
export function hashLearningDays(days: readonly LearningDay[]): string {
  const text = JSON.stringify([
    FEATURE_RULES_VERSION,
    days.map(({ serviceDate, rowsHash }) => [serviceDate, rowsHash]),
  ]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

interface NewFeatures {
  readonly dataDir: string;
  /** A work folder on the same disk as the lake. */
  readonly folder: string;
  readonly set: LearningSet;
  /** `trip_id` by row of the table. */
  readonly trips: readonly string[];
  readonly facts: Omit<FeatureManifest, 'rows' | 'gridSeconds'>;
}

/**
 * Replaces the features of a source; while it writes, the source has none.
 * @throws ExternalError `partition_incomplete`
 */
export async function publishFeatures(
  db: Duckdb,
  { dataDir, folder, set, trips, facts }: NewFeatures,
): Promise<FeatureManifest> {
  const { sourceId } = facts;
  const file = path.join(folder, `features-${sourceId}.parquet`);
  await mkdir(folder, { recursive: true });
  await insertRows(db, set, trips);
  const values = columnNames.map((name) => {
    if (name in instantColumns) return `make_timestamptz((${sqlName(name)} * 1e6)::bigint) as ${sqlName(name)}`;
    const isFloat = !(name in factColumns);
    return isFloat ? `if(isnan(${sqlName(name)}), null, ${sqlName(name)}) as ${sqlName(name)}` : sqlName(name);
  });
  const parquet = await parquetFacts(dataDir, 'prediction_features', [sourceId]);
  await db.run(
    `copy (select ${values.join(', ')} from feature_rows) to ${sqlText(file)}
     (format parquet, compression zstd, ${parquet})`,
  );
  await db.run('drop table feature_rows');
  // Without its manifest the features count as absent, so this step is the first that readers see.
  await assertMayPublish();
  await rm(featureManifestFile(dataDir, sourceId), { force: true });
  await publishPartition(db, file, featurePartition(dataDir, sourceId), set.pairs.count);
  const count = (role: number) => set.roles.reduce((sum, one) => sum + (one === role ? 1 : 0), 0);
  const rows = { learn: count(LEARN), judge: count(VALIDATION), compare: count(TEST) };
  const manifest = { ...facts, gridSeconds: set.table.gridSeconds, rows };
  await writeJsonAtomically(featureManifestFile(dataDir, sourceId), manifest);
  return manifest;
}

async function insertRows(db: Duckdb, set: LearningSet, trips: readonly string[]): Promise<void> {
  const { table, pairs, features, roles } = set;
  const types = Object.values(factColumns).map(([type]) => type);
  const declared = columnNames.map((name, i) => `${sqlName(name)} ${types[i] ?? 'float'}`);
  await db.run(`create or replace temp table feature_rows (${declared.join(', ')})`);
  const ofPairs = (read: (pair: number) => number) => Int32Array.from(pairs.from, (_, pair) => read(pair));
  const width = features.columns.length;
  const facts: InsertColumn[] = [
    ofPairs((pair) => table.serviceDay[pairs.datedTrip[pair]!]!),
    Array.from(pairs.datedTrip, (datedTrip) => trips[datedTrip]!),
    ofPairs((pair) => table.sequence[pairs.from[pair]!]!),
    ofPairs((pair) => table.sequence[pairs.to[pair]!]!),
    Int32Array.from(roles),
    Float64Array.from(pairs.from, (_, pair) => requestedAt(table, pairs, pair)),
    Float64Array.from(pairs.to, (call) => table.arrivalTime[call]!),
    set.horizonSeconds,
    set.current,
    set.truth,
    ofPairs((pair) => table.arrivalOffset[pairs.to[pair]!]!),
    Int32Array.from(features.offsets),
  ];
  const columns = features.columns.map((_, column) => {
    const values = new Float32Array(pairs.count);
    for (let pair = 0; pair < pairs.count; pair++) values[pair] = features.values[pair * width + column]!;
    return values;
  });
  await db.insertColumns('feature_rows', [...facts, ...columns]);
}

/** Pairs for training, as they are stored. */
export interface StoredFeatures extends ModelRows {
  readonly count: number;
  readonly role: Int32Array;
  readonly serviceDay: Int32Array;
  readonly requestedAt: Float64Array;
  readonly knownAt: Float64Array;
  readonly horizonSeconds: Float32Array;
  readonly beyondGrid: Int32Array;
  readonly expectedBeyondGrid: Int32Array;
}

/** Reads the features of a source, which must exist. */
export async function readFeatures(db: Duckdb, dataDir: string, source: SourceId): Promise<StoredFeatures> {
  const file = path.join(featurePartition(dataDir, source), 'part-0.parquet');
  const from = `from read_parquet(${sqlPath(file)})`;
  const [{ n }] = (await db.query(`select count(*)::integer as n ${from}`)) as [{ n: number }];
  const facts = await readColumns(
    db,
    {
      role: ['i32', 'role'],
      serviceDay: ['i32', 'service_day'],
      requestedAt: ['f64', 'epoch(asked_at)'],
      knownAt: ['f64', 'epoch(known_at)'],
      horizonSeconds: ['f32', 'horizon_seconds'],
      current: ['f32', 'current_delay_seconds'],
      truth: ['f32', 'delay_seconds'],
      beyondGrid: ['i32', 'beyond_grid_seconds'],
      expectedBeyondGrid: ['i32', 'expected_beyond_grid_seconds'],
    },
    from,
    n,
  );
  return { count: n, values: await readValues(db, from, n), ...facts };
}

/** Reads a few columns at a time: two copies of all of them would be the peak memory of training. */
async function readValues(db: Duckdb, from: string, count: number): Promise<Float32Array> {
  const width = featureColumns.length;
  const values = new Float32Array(count * width);
  for (let first = 0; first < width; first += 8) {
    const names = featureColumns.slice(first, first + 8);
    const wanted = Object.fromEntries(
      names.map((name) => [name, ['f32', `coalesce(${sqlName(name)}, 'nan'::float)`] as const]),
    );
    const columns = await readColumns(db, wanted, from, count);
    names.forEach((name, i) => {
      const column = columns[name]! as Float32Array;
      for (let row = 0; row < count; row++) values[row * width + first + i] = column[row]!;
    });
  }
  return values;
}

/** The rows of a role, for the model; and their places. */
export function takeStored(stored: StoredFeatures, role: number): ModelRows & { readonly places: Int32Array } {
  const list: number[] = [];
  stored.role.forEach((one, place) => {
    if (one === role) list.push(place);
  });
  const places = Int32Array.from(list);
  return { places, ...pickRows(stored, places) };
}

export function pickRows(stored: StoredFeatures, places: Int32Array): ModelRows {
  return {
    values: takeValues(stored.values, places, featureColumns.length),
    current: Float32Array.from(places, (place) => stored.current[place]!),
    truth: Float32Array.from(places, (place) => stored.truth[place]!),
  };
}
