import { rm } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../effects/clock.ts';
import { type Duckdb, openDuckdb, sqlPath, sqlText } from '../../effects/duckdb.ts';
import type { Log } from '../../effects/log.ts';
import { withTemporaryFolder } from '../../effects/temporary-folders.ts';
import { parquetFacts, publishPartitions } from '../../lake/parquet-facts.ts';
import { feedManifestFile, versionPartition, workFolder } from '../../lake/paths.ts';
import type { RawFile } from '../../lake/raw-store.ts';
import type { FeedRepairs } from '../../model/feed-fixes.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { type FeedManifest, findFeedManifest, writeFeedManifest } from './feed-manifest.ts';
import { describeOnDemand } from './on-demand.ts';
import { type TextTable, writeTextTable } from './text-tables.ts';
import { buildTypedTables, type FeedTexts } from './typed-tables.ts';
import { LAST_TABLE, type UnpackedFeed, type UnpackedTable, unpackFeed } from './unpack-feed.ts';
import type { UnpackLimits } from './zip-archive.ts';

/** Raise it with every change of the staging rules: tables staged by older rules are then rebuilt. */
export const STAGING_RULES_VERSION = 8;

export interface IngestSettings extends UnpackLimits {
  /** DuckDB's syntax, e.g. `2GB`. */
  readonly memoryLimit: string;
  /** 0 uses every core. */
  readonly threads: number;
  /** Aborts the engine's work; its statements then throw the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The typed tables of the lake, with the order of their rows. */
const typedTables = {
  agencies: 'select * from agencies order by agency_index',
  stops: 'select * from stops order by stop_index',
  stop_translations: 'select * from stop_translations order by stop_index, language, stop_name',
  routes: 'select * from routes order by route_index',
  services: 'select * from services order by service_index',
  service_dates: 'select * from service_dates',
  shapes: 'select * from shapes',
  trips: 'select * from trips order by trip_index',
  booking_rules: 'select * from booking_rules order by booking_index',
  calls: 'select * from calls order by trip_index, stop_sequence',
  call_bookings: 'select * from call_bookings order by trip_index, stop_sequence',
  zones: 'select * from zones order by zone_index',
  location_groups: 'select * from location_groups order by group_index',
  location_group_stops: 'select * from location_group_stops order by group_index, stop_index',
  on_demand_trips: 'select * exclude (old_index) from on_demand_trips order by on_demand_index',
  on_demand_calls: 'select * from on_demand_calls order by on_demand_index, stop_sequence, is_fixed',
  frequencies: 'select * from frequencies',
  transfers: 'select * from transfers',
  pathways: 'select * from pathways',
  feed_info: 'select * from feed_info',
  fare_attributes: 'select * from fare_attributes order by fare_index',
  fare_rules: 'select * from fare_rules',
  fare_stops: 'select * from fare_stops order by stop_index',
  fare_routes: 'select * from fare_routes',
  stop_areas: 'select * from stop_areas',
  timeframes: 'select * from timeframes',
  fare_products: 'select * from fare_products',
  fare_leg_rules: 'select * from fare_leg_rules',
  fare_leg_join_rules: 'select * from fare_leg_join_rules',
  fare_transfer_rules: 'select * from fare_transfer_rules',
  refused: 'select * from refused order by table_name, row_number',
} as const;

/**
 * Converts one raw feed to Parquet: every GTFS table as text, then typed, each as a separate partition, and finally the
 * manifest that marks the version as complete. Idempotent: a version is staged again only under other rules or repairs.
 * @throws ExternalError in one sentence if the feed cannot be used; nothing of it is published then
 */
export async function ingestFeed(
  { isForced = false, ...staging }: Staging & { readonly isForced?: boolean },
  effects: { clock: Clock; log: Log },
): Promise<{ manifest: FeedManifest; isUnchanged: boolean }> {
  const { source, raw, dataDir, settings, repairs } = staging;
  const known = await findFeedManifest(dataDir, source, raw.version);
  const isCurrent = known?.rulesVersion === STAGING_RULES_VERSION && isDeepStrictEqual(known.repairs, repairs);
  if (isCurrent && !isForced) return { manifest: known, isUnchanged: true };
  const manifest = await withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const db = await openDuckdb({
      memoryLimit: settings.memoryLimit,
      temporaryFolder: path.join(folder, 'spill'),
      threads: settings.threads,
      signal: settings.signal,
    });
    try {
      return await ingestInto(db, folder, staging, effects);
    } finally {
      db.close();
    }
  });
  return { manifest, isUnchanged: false };
}

interface Staging {
  readonly source: SourceId;
  readonly raw: RawFile;
  readonly dataDir: string;
  readonly settings: IngestSettings;
  readonly repairs: FeedRepairs;
}

async function ingestInto(
  db: Duckdb,
  folder: string,
  staging: Staging,
  effects: { clock: Clock; log: Log },
): Promise<FeedManifest> {
  const reader = await db.openBeside();
  const feed = startReading(reader, folder, staging, effects.log);
  try {
    return await stageTables(db, folder, feed, staging, effects);
  } finally {
    await Promise.allSettled([feed.others, feed.all]);
    reader.close();
  }
}

/** A feed whose tables are being unpacked and read, one after the other. */
interface FeedBeingRead extends FeedTexts {
  readonly unpacked: Promise<UnpackedFeed>;
}

/** Reads the other tables while stop_times is unpacked. */
function startReading(
  reader: Duckdb,
  folder: string,
  { source, raw, dataDir, settings }: Staging,
  log: Log,
): FeedBeingRead {
  const read = async (tables: readonly UnpackedTable[]) => {
    const texts: TextTable[] = [];
    for (const table of tables) {
      log.progress(`${source}: reading ${table.table}.txt`);
      const facts = await parquetFacts(dataDir, `gtfs.${table.table}`, [source]);
      const text = await writeTextTable(reader, table, folder, facts);
      if (text) texts.push(text);
    }
    return texts;
  };
  const unpack = async (onOthers: (tables: readonly UnpackedTable[]) => void) => {
    log.progress(`${source}: unpacking`);
    return unpackFeed(raw.file, folder, settings, raw.facts.selection ?? null, onOthers);
  };
  let unpacked!: Promise<UnpackedFeed>;
  const others = new Promise<readonly UnpackedTable[]>((resolve, reject) => {
    unpacked = unpack(resolve);
    unpacked.catch(reject);
  }).then(read);
  const readAll = async () => {
    const { tables } = await unpacked;
    const texts = [...(await others), ...(await read(tables.filter(({ table }) => table === LAST_TABLE)))];
    log.progress(`${source}: checking and typing`);
    return tables.flatMap(({ table }) => texts.find((text) => text.table === table) ?? []);
  };
  return { unpacked, others, all: readAll() };
}

async function stageTables(
  db: Duckdb,
  folder: string,
  feed: FeedBeingRead,
  { source, raw, dataDir, repairs }: Staging,
  effects: { clock: Clock; log: Log },
): Promise<FeedManifest> {
  const tables = await buildTypedTables(db, feed, repairs);
  const texts = await feed.all;
  const { feedFolder, otherFiles } = await feed.unpacked;
  const onDemand = await describeOnDemand(db);
  effects.log.progress(`${source}: writing Parquet`);
  const typedRows = await writeTypedTables(db, folder, (table) =>
    parquetFacts(dataDir, `timetable.${table}`, [source]),
  );
  const period = await describePeriod(db, folder);
  // From here on the tables may be a mixture of two builds, so the manifest of the earlier one must go.
  await rm(feedManifestFile(dataDir, source, raw.version), { force: true });
  const partitionOf = (area: 'gtfs' | 'timetable', table: string) =>
    versionPartition(dataDir, area, table, source, raw.version);
  await publishPartitions(db, [
    ...texts.map(({ table, parquetFile, rowsRead }) => ({
      file: parquetFile,
      partition: partitionOf('gtfs', table),
      rows: rowsRead,
    })),
    ...Object.entries(typedRows).map(([table, rows]) => ({
      file: typedFile(folder, table),
      partition: partitionOf('timetable', table),
      rows,
    })),
  ]);
  const manifest: FeedManifest = {
    sourceId: source,
    feedVersion: raw.version,
    rulesVersion: STAGING_RULES_VERSION,
    repairs,
    ingestedAt: new Date(effects.clock.nowMilliseconds()).toISOString(),
    raw: raw.facts,
    ...period,
    tables,
    typedRows,
    onDemand,
    feedFolder,
    otherFiles,
  };
  await writeFeedManifest(dataDir, manifest);
  return manifest;
}

function typedFile(folder: string, table: string): string {
  return path.join(folder, `typed-${table}.parquet`);
}

async function writeTypedTables(
  db: Duckdb,
  folder: string,
  factsOf: (table: string) => Promise<string>,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const [table, select] of Object.entries(typedTables)) {
    const file = sqlText(typedFile(folder, table));
    const options = `format parquet, compression zstd, ${await factsOf(table)}`;
    const [copied] = await db.query(`copy (${select}) to ${file} (${options})`);
    rows[table] = Number(copied?.Count);
  }
  return rows;
}

type FeedPeriod = Pick<
  FeedManifest,
  'publisherName' | 'publishedVersion' | 'beginDate' | 'endDate' | 'feedEndDate' | 'timeZone' | 'lastCallSeconds'
>;

/** Publisher of the feed, and the period of its trips. */
async function describePeriod(db: Duckdb, folder: string): Promise<FeedPeriod> {
  const [info] = await db.query(`
    select publisher_name, published_version, first_service_date::varchar as first_date,
      last_service_date::varchar as last_date, end_date::varchar as end_date,
      (
        -- Of a feed of on-demand service alone, of most of its routes.
        select time_zone from routes left join trips using (route_index)
        group by time_zone order by count(trip_index) desc, count(*) desc, time_zone limit 1
      ) as time_zone
    from feed_info`);
  // The calls are a view, which would be evaluated again; the written file avoids that.
  const calls = `read_parquet(${sqlPath(typedFile(folder, 'calls'))})`;
  const [last] = await db.query(`
    with repeated as (
      select trip_index, max(arrival_seconds) - min(departure_seconds) as ride_seconds
      from ${calls} where trip_index in (select trip_index from frequencies) group by trip_index
    )
    select greatest(
      (select max(arrival_seconds) from ${calls}),
      (select max(window_end_seconds) from on_demand_calls),
      (select max(end_seconds + ride_seconds) from frequencies join repeated using (trip_index))
    )::int as call_seconds`);
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value));
  return {
    publisherName: text(info?.publisher_name),
    publishedVersion: text(info?.published_version),
    beginDate: text(info?.first_date) as ServiceDate | null,
    endDate: text(info?.last_date) as ServiceDate | null,
    feedEndDate: text(info?.end_date) as ServiceDate | null,
    timeZone: String(info?.time_zone),
    lastCallSeconds: Number(last?.call_seconds ?? 0),
  };
}
