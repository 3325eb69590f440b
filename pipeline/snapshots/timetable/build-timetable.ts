import path from 'node:path';
import { type Duckdb, openDuckdb } from '../../effects/duckdb.ts';
import { withTemporaryFolder } from '../../effects/files.ts';
import type { FeedManifest } from '../../lake/feed-manifest.ts';
import { workFolder } from '../../lake/paths.ts';
import { products } from '../../model/product.ts';
import { getRouteProduct } from '../../timetable/route-product.ts';
import { TextColumn } from '../arrow-table.ts';
import type { TimetableTables } from '../contract.ts';
import { createFeedViews } from './feed-views.ts';
import { buildPatternTables } from './pattern-tables.ts';
import { type FeedColumns, readFeeds } from './read-feeds.ts';
import { buildServiceTables, countServiceDays } from './service-tables.ts';
import { buildShapeTables } from './shape-tables.ts';
import { buildStopTables, type Place } from './stop-tables.ts';

export interface BuildSettings {
  readonly memoryLimit: string;
  /** 0 takes every core. */
  readonly threads: number;
}

/** Puts the typed tables of all feeds side by side as the tables of one snapshot; ids stay apart by source. */
export async function buildTimetable(
  feeds: readonly FeedManifest[],
  dataDir: string,
  places: readonly Place[],
  settings: BuildSettings,
): Promise<TimetableTables> {
  return withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const db = await openDuckdb({
      memoryLimit: settings.memoryLimit,
      temporaryFolder: path.join(folder, 'spill'),
      ...(settings.threads ? { threads: settings.threads } : {}),
    });
    try {
      const columns = await readFromLake(db, dataDir, feeds);
      return assemble(columns, feeds, places);
    } finally {
      db.close();
    }
  });
}

async function readFromLake(db: Duckdb, dataDir: string, feeds: readonly FeedManifest[]): Promise<FeedColumns> {
  await createFeedViews(db, dataDir, feeds);
  return readFeeds(db, feeds);
}

function assemble(columns: FeedColumns, feeds: readonly FeedManifest[], places: readonly Place[]): TimetableTables {
  const sourceIds = feeds.map((feed) => feed.sourceId);
  const { runs, runOrder, ...patternTables } = buildPatternTables(columns, sourceIds);
  const routes = buildRoutes(columns);
  const serviceDays = countServiceDays(columns.serviceCount, columns.serviceDates);
  return {
    sources: {
      sourceId: TextColumn.from(sourceIds),
      feedVersion: TextColumn.from(feeds.map((feed) => feed.feedVersion)),
    },
    zones: { name: TextColumn.from(columns.zones) },
    agencies: {
      source: columns.agencies.source,
      agencyId: TextColumn.from(columns.agencies.agencyId),
      name: TextColumn.from(columns.agencies.name),
    },
    texts: { text: TextColumn.from(columns.texts) },
    routes,
    ...buildServiceTables(columns.serviceCount, columns.serviceDates),
    ...patternTables,
    ...buildShapeTables(columns, runs, runOrder, patternTables.trips),
    ...buildStopTables(columns, { ...patternTables, routes }, serviceDays, places),
  };
}

function buildRoutes({ routes, zones }: FeedColumns): TimetableTables['routes'] {
  const zoneIndex = new Map(zones.map((zone, index) => [zone, index]));
  return {
    source: routes.source,
    routeId: TextColumn.from(routes.routeId),
    agency: routes.agency,
    zone: Uint16Array.from(routes.zone, (zone) => zoneIndex.get(zone)!),
    label: TextColumn.from(routes.shortName.map((name, i) => name || routes.longName[i] || routes.routeId[i]!)),
    longName: TextColumn.from(routes.longName.map((name, i) => name || routes.shortName[i] || routes.routeId[i]!)),
    product: Uint8Array.from(routes.routeType, (type, i) =>
      products.indexOf(getRouteProduct(type, routes.shortName[i]!)),
    ),
    color: routes.color,
    textColor: routes.textColor,
  };
}
