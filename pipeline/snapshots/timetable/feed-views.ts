import { type Duckdb, sqlName, sqlPath } from '../../effects/duckdb.ts';
import type { FeedManifest } from '../../lake/feed-manifest.ts';
import { versionPartition } from '../../lake/paths.ts';

/** Which columns of a typed table number rows of another, and so must be moved when feeds are put side by side. */
const tables = {
  agencies: { agency_index: 'agencies' },
  stops: { stop_index: 'stops', station_index: 'stops' },
  routes: { route_index: 'routes', agency_index: 'agencies' },
  services: { service_index: 'services' },
  service_dates: { service_index: 'services' },
  shapes: {},
  trips: { trip_index: 'trips', route_index: 'routes', service_index: 'services' },
  calls: { trip_index: 'trips', stop_index: 'stops' },
  frequencies: { trip_index: 'trips' },
  transfers: {
    from_stop_index: 'stops',
    to_stop_index: 'stops',
    from_route_index: 'routes',
    to_route_index: 'routes',
    from_trip_index: 'trips',
    to_trip_index: 'trips',
  },
  fare_attributes: { fare_index: 'fare_attributes', agency_index: 'agencies' },
  fare_rules: { fare_index: 'fare_attributes', route_index: 'routes' },
  fare_stops: { stop_index: 'stops' },
  fare_routes: { route_index: 'routes' },
  stop_areas: { stop_index: 'stops' },
  timeframes: { service_index: 'services' },
  fare_products: {},
  fare_leg_rules: {},
  fare_leg_join_rules: { from_stop_index: 'stops', to_stop_index: 'stops' },
  fare_transfer_rules: {},
} as const satisfies Record<string, Record<string, string>>;

/**
 * Makes one view per typed table over all feeds: rows of the first feed, then of the second and so on, their indexes
 * moved so that they number the rows of the view, plus `source_index`. Shapes are numbered by `shape_key`, which is
 * unique over all feeds but has holes; calls by `call_index`, their place in the view.
 */
export async function createFeedViews(db: Duckdb, dataDir: string, feeds: readonly FeedManifest[]): Promise<void> {
  for (const [table, indexes] of Object.entries(tables)) {
    const parts = feeds.map((feed, source) => {
      const partition = versionPartition(dataDir, 'timetable', table, feed.sourceId, feed.feedVersion);
      const moved = Object.entries(indexes).map(([column, of]) => {
        const offset = sumBefore(feeds, source, of);
        return `${sqlName(column)} + ${offset} as ${sqlName(column)}`;
      });
      const firstRow = sumBefore(feeds, source, table);
      const columns = [
        `* exclude (file_row_number)${moved.length > 0 ? ` replace (${moved.join(', ')})` : ''}`,
        `${source} as source_index`,
        ...(table === 'shapes' || table === 'trips' ? [`shape_index + ${source * 2 ** 32}::bigint as shape_key`] : []),
        ...(table === 'calls' ? [`(file_row_number + ${firstRow})::int as call_index`] : []),
      ];
      const file = sqlPath(`${partition}/part-0.parquet`);
      return `select ${columns.join(', ')} from read_parquet(${file}, hive_partitioning = false, file_row_number = true)`;
    });
    await db.run(`create view all_${table} as ${parts.join(' union all ')}`);
  }
}

/** Rows of a typed table in the feeds before this one. */
function sumBefore(feeds: readonly FeedManifest[], source: number, table: string): number {
  return feeds.slice(0, source).reduce((sum, feed) => sum + feed.typedRows[table]!, 0);
}

export function sumRows(feeds: readonly FeedManifest[], table: keyof typeof tables): number {
  return sumBefore(feeds, feeds.length, table);
}
