import type { Problem } from '../../model/problem.ts';
import type { MergeDecision, MergeRules, PublicId } from '../merging/merge-rules.ts';
import { type MergedStations, mergeStations } from '../merging/merge-stations.ts';
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
  /** Rows of the operator's table that name what the feeds do not have. */
  readonly problems: readonly Problem[];
}

/** @param services of the feeds; gets those of trips that are duplicates on some of their days */
export function mergeFeeds(
  feeds: FeedColumns,
  sourceIds: readonly string[],
  rules: MergeRules,
  services: ServiceBook,
): MergedFeeds {
  const productOfRoute = listProducts(feeds);
  const decided = readDecisions(feeds, sourceIds, rules.decisions);
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

// ---- The operator's table ----------------------------------------------------------------------

type RowPair = readonly [number, number];

interface Decisions {
  pairs(kind: MergeDecision['kind'], action: MergeDecision['action']): readonly RowPair[];
  readonly problems: readonly Problem[];
}

/** A row about a source that is not among the feeds is no problem: it may be that of another day. */
function readDecisions(
  feeds: FeedColumns,
  sourceIds: readonly string[],
  decisions: readonly MergeDecision[],
): Decisions {
  const problems: Problem[] = [];
  const found: { readonly decision: MergeDecision; readonly pairs: readonly RowPair[] }[] = [];
  const stops = decisions.some(({ kind }) => kind === 'station')
    ? indexIds(feeds.stops.source, feeds.stops.stopId)
    : null;
  const trips = decisions.some(({ kind }) => kind === 'trip') ? indexIds(feeds.trips.source, feeds.trips.tripId) : null;
  for (const decision of decisions) {
    const { kind, one, other, row } = decision;
    const listRows = ({ sourceId, id }: PublicId) => {
      const source = sourceIds.indexOf(sourceId);
      const rows = (kind === 'station' ? stops : trips)!.get(`${source} ${id}`) ?? [];
      if (source >= 0 && rows.length === 0) problems.push(describeUnknown(kind, row, `${sourceId}:${id}`));
      return rows;
    };
    const others = listRows(other);
    found.push({ decision, pairs: listRows(one).flatMap((a) => others.map((b) => [a, b] as const)) });
  }
  return {
    pairs: (kind, action) =>
      found.flatMap(({ decision, pairs }) => (decision.kind === kind && decision.action === action ? pairs : [])),
    problems,
  };
}

function describeUnknown(kind: MergeDecision['kind'], row: number, id: string): Problem {
  const code = kind === 'station' ? 'unknown_stop' : 'unknown_trip';
  return { code, source: 'the table of merges', place: `row ${row}`, detail: id };
}

/** Several versions of a source may have the same trip. */
function indexIds(source: Uint16Array, ids: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const rows = new Map<string, number[]>();
  for (const [row, id] of ids.entries()) {
    const name = `${source[row]} ${id}`;
    const list = rows.get(name);
    if (list) list.push(row);
    else rows.set(name, [row]);
  }
  return rows;
}
