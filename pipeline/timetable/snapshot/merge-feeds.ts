import type { RecordProblem } from '../../model/problem.ts';
import type { MergeRules } from '../merging/merge-rules.ts';
import { type MergedStations, mergeStations } from '../merging/merge-stations.ts';
import { resolveDecisions } from '../merging/resolve-decisions.ts';
import { type MergedTrips, mergeTrips } from './merge-trips.ts';
import type { MergedColumns } from './merged-columns.ts';
import { listProducts } from './named-trips.ts';
import type { FeedColumns } from './read-feeds.ts';
import type { ServiceBook } from './service-tables.ts';

export interface MergedFeeds {
  readonly columns: MergedColumns;
  readonly stations: MergedStations['merges'];
  /** By trip of the feeds. */
  readonly trips: MergedTrips['duplicates'];
  /** Rows of the operator's table with ids that the feeds lack. */
  readonly problems: readonly RecordProblem[];
}

/** @param services of the feeds; gets those of trips that are duplicates on some of their days */
export function mergeFeeds(
  feeds: FeedColumns,
  sourceIds: readonly string[],
  rules: MergeRules,
  services: ServiceBook,
): MergedFeeds {
  const productOfRoute = listProducts(feeds);
  const decided = resolveDecisions({ sourceIds, stops: feeds.stops, trips: feeds.trips }, rules.decisions);
  const { station, merges } = mergeStations(
    { ...feeds.stops, ...measureCalls(feeds, productOfRoute) },
    {
      byId: rules.stationsById,
      byName: rules.stationsByName,
      merged: decided.pairs('station', 'merge'),
      separate: decided.pairs('station', 'separate'),
    },
  );
  const stops = { ...feeds.stops, station, publishedStation: feeds.stops.station };
  const merged = mergeTrips({ ...feeds, stops }, productOfRoute, services, {
    byName: rules.trips,
    merged: decided.pairs('trip', 'merge'),
    separate: decided.pairs('trip', 'separate'),
  });
  return {
    columns: { ...feeds, ...merged.columns, stops },
    stations: merges,
    trips: merged.duplicates,
    problems: [...rules.problems, ...decided.problems],
  };
}

function measureCalls({ calls, stops }: FeedColumns, productOfRoute: Uint8Array) {
  const productClasses = new Uint16Array(stops.station.length);
  const callCount = new Int32Array(stops.station.length);
  for (let trip = 0; trip < calls.tripRoute.length; trip++) {
    const product = 1 << productOfRoute[calls.tripRoute[trip]!]!;
    for (let call = calls.tripFirstCall[trip]!; call < calls.tripFirstCall[trip + 1]!; call++) {
      productClasses[calls.stop[call]!]! |= product;
      callCount[calls.stop[call]!]! += 1;
    }
  }
  return { productClasses, callCount };
}
