import type { MergedByRule, MergeReport, TimetableTables } from '../../snapshots/timetable-contract.ts';
import { tripRules } from '../merging/find-duplicates.ts';
import { stationRules } from '../merging/merge-stations.ts';
import type { MergedFeeds } from './merge-feeds.ts';

/** @param tripOfRow trip of the feeds by row of the snapshot's trips; trips of frequencies are never duplicates */
export function buildMergeTables(
  { stations, trips }: Pick<MergedFeeds, 'stations' | 'trips'>,
  tripOfRow: Int32Array,
): Pick<TimetableTables, 'mergedStops' | 'duplicates'> {
  const rowOfTrip = new Int32Array(tripOfRow.reduce((most, trip) => Math.max(most, trip), -1) + 1).fill(-1);
  tripOfRow.forEach((trip, row) => {
    rowOfTrip[trip] = row;
  });
  const rows = trips.map((each) => ({ ...each, trip: rowOfTrip[each.trip]!, shownTrip: rowOfTrip[each.shownTrip]! }));
  rows.sort((a, b) => a.trip - b.trip || a.shownTrip - b.shownTrip);
  return {
    mergedStops: {
      stop: Int32Array.from(stations, ({ stop }) => stop),
      rule: Uint8Array.from(stations, ({ rule }) => stationRules.indexOf(rule)),
    },
    duplicates: {
      trip: Int32Array.from(rows, ({ trip }) => trip),
      shownTrip: Int32Array.from(rows, ({ shownTrip }) => shownTrip),
      dayOffset: Int8Array.from(rows, ({ dayOffset }) => dayOffset),
      service: Int32Array.from(rows, ({ service }) => service),
      rule: Uint8Array.from(rows, ({ rule }) => tripRules.indexOf(rule)),
    },
  };
}

/** Samples per rule in the manifest. */
const MAX_SAMPLES = 10;

export function reportMerges({ problems }: Pick<MergedFeeds, 'problems'>, tables: TimetableTables): MergeReport {
  const { sources, stops, mergedStops, trips, routes, patterns, duplicates, continuations } = tables;
  const nameStop = (stop: number) =>
    `${sources.sourceId.get(stops.source[stop]!)}:${stops.stopId.get(stop)} (${stops.publishedName.get(stop)})`;
  const nameTrip = (trip: number) => {
    const route = patterns.route[trips.pattern[trip]!]!;
    return `${sources.sourceId.get(routes.source[route]!)}:${trips.tripId.get(trip)} (${routes.label.get(route)})`;
  };
  const trip = duplicates.trip.filter((each, row) => each !== duplicates.trip[row - 1]);
  const firstRow = new Map(Array.from(duplicates.trip, (each, row) => [each, row] as const).reverse());
  return {
    stations: stationRules.map((rule, number) =>
      sumUp(
        rule,
        mergedStops.stop.filter((_, row) => mergedStops.rule[row] === number),
        (stop) => `${nameStop(stop)} is ${nameStop(stops.station[stop]!)}`,
      ),
    ),
    trips: tripRules.map((rule, number) =>
      sumUp(
        rule,
        trip.filter((each) => duplicates.rule[firstRow.get(each)!] === number),
        (each) => `${nameTrip(each)} is ${nameTrip(duplicates.shownTrip[firstRow.get(each)!]!)}`,
      ),
    ),
    derivedContinuations: continuations.isDerived.reduce((sum, isDerived) => sum + isDerived, 0),
    problems,
  };
}

function sumUp(rule: string, rows: Int32Array, describe: (row: number) => string): MergedByRule {
  return { rule, count: rows.length, samples: Array.from(rows.subarray(0, MAX_SAMPLES), describe) };
}
