import { products } from '../../../pipeline/model/product.ts';
import { formatServiceTime, fromEpochDay, type ServiceTime } from '../../../pipeline/model/service-time.ts';
import type { TimetableSnapshot, TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';

/**
 * A snapshot in words, so that a case reads as a table of text. Lists are sorted by their texts where the snapshot's
 * own order means nothing. Ids carry their source (`one:a`) when there are several.
 */
export interface Timetable {
  /** `t1: a 08:00, b 08:10/08:11, c ~08:20`; `~` marks a time that was filled in. Runs: `t1@22:30`, `t1@~22:30`. */
  readonly trips: readonly string[];
  /** `r: a b c = t1 t2`, trips in the order of the pattern. */
  readonly patterns: readonly string[];
  /** Days on which a trip (or each run of it) runs. */
  readonly dates: ReadonlyMap<string, readonly string[]>;
  /** `a "Anger" 48,16 in s platform 2`. */
  readonly stops: readonly string[];
  /** `r "1" cityBus of Verkehr, Europe/Vienna`. */
  readonly routes: readonly string[];
  readonly snapshot: TimetableSnapshot;
}

export function readTimetable(snapshot: TimetableSnapshot): Timetable {
  const { tables } = snapshot;
  const trips: string[] = [];
  const patterns: string[] = [];
  const dates = new Map<string, readonly string[]>();
  for (let pattern = 0; pattern < tables.patterns.route.length; pattern++) {
    const stops = callsOf(tables, pattern).map((call) => stopId(tables, tables.patternCalls.stop[call]!));
    const names: string[] = [];
    for (let i = 0; i < tables.patterns.tripCount[pattern]!; i++) {
      const trip = tables.patterns.firstTrip[pattern]! + i;
      names.push(tripName(tables, trip));
      const times = stops.map((stop, k) => `${stop} ${timesOf(tables, pattern, i, k)}`);
      trips.push(`${tripName(tables, trip)}: ${times.join(', ')}`);
      dates.set(tripId(tables, trip), datesOf(tables, tables.trips.service[trip]!));
    }
    patterns.push(`${routeId(tables, tables.patterns.route[pattern]!)}: ${stops.join(' ')} = ${names.join(' ')}`);
  }
  return {
    trips: trips.sort(),
    patterns: patterns.sort(),
    dates: new Map([...dates].sort()),
    stops: Array.from(tables.stops.source, (_, stop) => describeStop(tables, stop)),
    routes: Array.from(tables.routes.source, (_, route) => describeRoute(tables, route)),
    snapshot,
  };
}

function callsOf({ patterns }: TimetableTables, pattern: number): number[] {
  return Array.from({ length: patterns.callCount[pattern]! }, (_, k) => patterns.firstCall[pattern]! + k);
}

function timesOf({ patterns, times, interpolated }: TimetableTables, pattern: number, trip: number, k: number): string {
  const row = patterns.firstTime[pattern]! + trip * patterns.callCount[pattern]! + k;
  const [arrival, departure] = [shortTime(times.arrival[row]!), shortTime(times.departure[row]!)];
  const isFilledIn = ((interpolated.bits[row >> 3] ?? 0) >> (row & 7)) & 1;
  return `${isFilledIn ? '~' : ''}${arrival === departure ? arrival : `${arrival}/${departure}`}`;
}

/** Without the seconds where they are zero. */
function shortTime(seconds: number): string {
  return formatServiceTime(seconds as ServiceTime).replace(/:00$/, '');
}

function tripName(tables: TimetableTables, trip: number): string {
  const start = tables.trips.frequencyStart[trip]!;
  if (start < 0) return tripId(tables, trip);
  return `${tripId(tables, trip)}@${tables.trips.isHeadway[trip] ? '~' : ''}${shortTime(start)}`;
}

function tripId(tables: TimetableTables, trip: number): string {
  const route = tables.patterns.route[tables.trips.pattern[trip]!]!;
  return withSource(tables, tables.routes.source[route]!, tables.trips.tripId.get(trip));
}

function stopId(tables: TimetableTables, stop: number): string {
  return withSource(tables, tables.stops.source[stop]!, tables.stops.stopId.get(stop));
}

function routeId(tables: TimetableTables, route: number): string {
  return withSource(tables, tables.routes.source[route]!, tables.routes.routeId.get(route));
}

function withSource({ sources }: TimetableTables, source: number, id: string): string {
  return sources.sourceId.length === 1 ? id : `${sources.sourceId.get(source)}:${id}`;
}

function datesOf({ services, serviceBits }: TimetableTables, service: number): string[] {
  const first = services.firstDay[service]!;
  const dates: string[] = [];
  for (let day = first; day <= services.lastDay[service]!; day++) {
    const bit = day - first;
    const byte = serviceBits.bits[services.firstByte[service]! + (bit >> 3)]!;
    if ((byte >> (bit & 7)) & 1) dates.push(fromEpochDay(day));
  }
  return dates;
}

function describeStop(tables: TimetableTables, stop: number): string {
  const { stops } = tables;
  const place = Number.isNaN(stops.lat[stop]!) ? 'nowhere' : `${stops.lat[stop]},${stops.lon[stop]}`;
  const station = stops.station[stop] === stop ? '' : ` in ${stopId(tables, stops.station[stop]!)}`;
  const platform = stops.platformCode.get(stop);
  return `${stopId(tables, stop)} "${stops.name.get(stop)}" ${place}${station}${platform ? ` platform ${platform}` : ''}`;
}

function describeRoute(tables: TimetableTables, route: number): string {
  const { routes, agencies, zones } = tables;
  const agency = routes.agency[route]! < 0 ? 'nobody' : agencies.name.get(routes.agency[route]!);
  const product = products[routes.product[route]!];
  return `${routeId(tables, route)} "${routes.label.get(route)}" ${product} of ${agency}, ${zones.name.get(routes.zone[route]!)}`;
}
