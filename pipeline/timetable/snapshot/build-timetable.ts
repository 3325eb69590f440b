import path from 'node:path';
import { openDuckdb } from '../../effects/duckdb.ts';
import type { Log } from '../../effects/log.ts';
import { withTemporaryFolder } from '../../effects/temporary-folders.ts';
import { workFolder } from '../../lake/paths.ts';
import { TextColumn } from '../../model/column.ts';
import { toEpochDay } from '../../model/service-time.ts';
import type { MergeReport, TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { WalkRouter } from '../../streets/walk-router.ts';
import type { ServedSource } from '../feed/version-days.ts';
import type { MergeRules } from '../merging/merge-rules.ts';
import { buildContinuationTables } from './continuation-tables.ts';
import { createFeedViews, listFeeds, openViewsBeside, type SnapshotFeed } from './feed-views.ts';
import { mergeFeeds } from './merge-feeds.ts';
import { buildMergeTables, reportMerges } from './merge-tables.ts';
import type { Town } from './name-stops.ts';
import { listProducts } from './named-trips.ts';
import { buildPatternTables } from './pattern-tables.ts';
import { type FeedColumns, readFeeds } from './read-feeds.ts';
import { buildServiceTables, ServiceBook } from './service-tables.ts';
import { buildShapeTables } from './shape-tables.ts';
import { buildStepFreeStops } from './step-free-stops.ts';
import { buildStopTables } from './stop-tables.ts';
import { findStopPairs, listWays, measureStopPairs, type StopWays } from './stop-ways.ts';
import { readTransferRules, type TransferRules } from './transfer-rules.ts';
import { buildTransferTables } from './transfer-tables.ts';
import { findTripEnds } from './trip-ends.ts';

export interface BuildSettings {
  readonly memoryLimit: string;
  /** 0 uses every core. */
  readonly threads: number;
  readonly merging: MergeRules;
  readonly signal?: AbortSignal | undefined;
}

export interface BuiltTimetable {
  readonly tables: TimetableTables;
  readonly merges: MergeReport;
}

/**
 * Combines the typed tables of all feeds into the tables of one snapshot; ids are unique within their source.
 * @param effects `walks` measures walks between stops; null: straight-line distance
 */
export async function buildTimetable(
  sources: readonly ServedSource[],
  dataDir: string,
  places: readonly Town[],
  settings: BuildSettings,
  effects: { log: Log; walks: WalkRouter | null },
): Promise<BuiltTimetable> {
  const feeds = listFeeds(sources);
  const columns = await readFromLake(feeds, dataDir, settings);
  const sourceIds = sources.map(({ sourceId }) => sourceId);
  return assemble({ feeds: columns, sourceIds, versions: feeds, places, merging: settings.merging }, effects);
}

async function readFromLake(
  feeds: readonly SnapshotFeed[],
  dataDir: string,
  settings: BuildSettings,
): Promise<FeedColumns> {
  return withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const db = await openDuckdb({
      memoryLimit: settings.memoryLimit,
      temporaryFolder: path.join(folder, 'spill'),
      threads: settings.threads,
      signal: settings.signal,
    });
    try {
      const rows = await createFeedViews(db, dataDir, feeds);
      const beside = await openViewsBeside(db, feeds);
      try {
        return await readFeeds(db, beside, rows);
      } finally {
        beside.close();
      }
    } finally {
      db.close();
    }
  });
}

interface TimetableInputs {
  readonly feeds: FeedColumns;
  readonly sourceIds: readonly string[];
  readonly versions: readonly SnapshotFeed[];
  readonly places: readonly Town[];
  readonly merging: MergeRules;
}

async function assemble(
  { feeds, sourceIds, versions, places, merging }: TimetableInputs,
  effects: { log: Log; walks: WalkRouter | null },
): Promise<BuiltTimetable> {
  const services = new ServiceBook(buildServiceTables(feeds.serviceCount, feeds.serviceDates));
  const merged = mergeFeeds(feeds, sourceIds, merging, services);
  const { columns } = merged;
  const { calls, transfers, stops } = columns;
  const rules = readTransferRules(transfers, calls, stops.publishedStation, columns.routes.routeId.length);
  const { runs, runOrder, groups, ...patternTables } = buildPatternTables(columns, rules, sourceIds);
  const routes = buildRoutes(columns);
  const serviceDays = Int32Array.from({ length: services.count }, (_, service) => services.countDays(service));
  const stopTables = buildStopTables(columns, { ...patternTables, routes }, serviceDays, places);
  const ways = await findWays(stopTables, rules, effects);
  const ends = findTripEnds(columns, runs, runOrder, patternTables);
  const tables = {
    sources: { sourceId: TextColumn.from(sourceIds) },
    feeds: buildFeeds(versions),
    zones: { name: TextColumn.from(columns.zones) },
    agencies: {
      source: columns.agencies.source,
      agencyId: TextColumn.from(columns.agencies.agencyId),
      name: TextColumn.from(columns.agencies.name),
    },
    texts: { text: TextColumn.from(columns.texts) },
    routes,
    ...patternTables,
    ...buildShapeTables(columns, runs, runOrder, patternTables.trips),
    ...stopTables,
    ...buildMergeTables(merged, ends.trip),
    ...buildStepFreeStops(columns.pathways, columns.stops.locationType),
    ...columns.fares,
    ...columns.onDemand,
    ...buildTransferTables(ways, rules, groups, stops.publishedStation),
    ...buildContinuationTables(transfers, ends, services, merging.throughTrips),
    ...services.listServices(),
  };
  return { tables, merges: reportMerges(merged, tables) };
}

async function findWays(
  { stops, members }: Pick<TimetableTables, 'stops' | 'members'>,
  rules: TransferRules,
  { log, walks }: { log: Log; walks: WalkRouter | null },
): Promise<StopWays> {
  const pairs = findStopPairs(stops, members.stop, rules, walks ? 'byStraightLine' : 'byStraightWay');
  return listWays(walks ? await measureStopPairs(pairs, stops, walks, log) : pairs, stops.station.length);
}

const [FIRST_OF_ALL_DAYS, LAST_OF_ALL_DAYS] = [-(2 ** 31), 2 ** 31 - 1];

function buildFeeds(feeds: readonly SnapshotFeed[]): TimetableTables['feeds'] {
  return {
    source: Uint16Array.from(feeds, ({ source }) => source),
    feedVersion: TextColumn.from(feeds.map(({ manifest }) => manifest.feedVersion)),
    firstDay: Int32Array.from(feeds, ({ from }) => (from === null ? FIRST_OF_ALL_DAYS : toEpochDay(from))),
    lastDay: Int32Array.from(feeds, ({ until }) => (until === null ? LAST_OF_ALL_DAYS : toEpochDay(until))),
  };
}

function buildRoutes({ routes, zones }: Pick<FeedColumns, 'routes' | 'zones'>): TimetableTables['routes'] {
  const zoneIndex = new Map(zones.map((zone, index) => [zone, index]));
  return {
    source: routes.source,
    feed: routes.feed,
    routeId: TextColumn.from(routes.routeId),
    agency: routes.agency,
    zone: Uint16Array.from(routes.zone, (zone) => zoneIndex.get(zone)!),
    label: TextColumn.from(routes.shortName.map((name, i) => name || routes.longName[i] || routes.routeId[i]!)),
    longName: TextColumn.from(routes.longName.map((name, i) => name || routes.shortName[i] || routes.routeId[i]!)),
    product: listProducts({ routes }),
    color: routes.color,
    textColor: routes.textColor,
  };
}
