import { comparePoints, type NaiveCall, type NaiveTimetable } from '../oracles/naive-timetable.ts';
import { feedFromText } from './text-feed.ts';

/** Differences between the two versions of the small feed. */
export interface Rollover {
  readonly zone: string;
  /** First and last day of each, in the format of GTFS. */
  readonly before: readonly [string, string];
  readonly after: readonly [string, string];
  /** Whether the new version has the same ids of routes, services and trips as the old one. */
  readonly areIdsKept: boolean;
}

/** Departures at `a` as minutes of the service date: by day, around midnight, and after it. */
const departures = [
  '05:30',
  '06:10',
  '08:00',
  '22:05',
  '22:59',
  '23:30',
  '23:58',
  '24:00',
  '24:35',
  '25:20',
  '26:10',
  '29:50',
];

/**
 * One of the two versions: a line through a, b, c and a night line that frequencies repeat; the new one is three
 * minutes later, has other headsigns, calls at `neu` instead of `alt`, and has moved and renamed `b`.
 */
export function rolloverFeed(
  { zone, before, after, areIdsKept }: Rollover,
  version: 'before' | 'after',
): Map<string, string> {
  const isNew = version === 'after';
  const [begin, end] = isNew ? after : before;
  const prefix = isNew && !areIdsKept ? 'n' : '';
  const last = isNew ? 'neu' : 'alt';
  const sign = isNew ? 'Neustadt' : 'Altstadt';
  const trips = departures.flatMap((clock, i) => {
    const [hours, minutes] = clock.split(':').map(Number);
    const at = (offset: number) => writeClock(hours! * 60 + minutes! + offset + (isNew ? 3 : 0));
    const id = `${prefix}t${i}`;
    return [`${id},a,1,${at(0)},${at(0)}`, `${id},b,2,${at(12)},${at(13)}`, `${id},c,3,${at(31)},${at(31)}`].concat(
      `${id},${last},4,${at(50)},${at(50)}`,
    );
  });
  return feedFromText(`
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    v,Verkehr,https://example.org,${zone}
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon,parent_station,location_type
    a,Anger,48.0,16.0,,0
    b,${isNew ? 'Bergplatz' : 'Berg'},48.0,16.1,,0
    c,Kirche 1,48.0,16.2,k,0
    k,Kirche,48.0,16.2,,1
    ${last},${sign},48.0,16.3,,0
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    ${prefix}r,v,${isNew ? '1N' : '1'},3
    ${prefix}night,v,N,3
    # trips.txt
    trip_id,route_id,service_id,trip_headsign
    ${departures.map((_, i) => `${prefix}t${i},${prefix}r,${prefix}daily,${sign}`).join('\n    ')}
    ${prefix}often,${prefix}night,${prefix}daily,
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    ${trips.join('\n    ')}
    ${prefix}often,c,1,00:00:00,00:00:00
    ${prefix}often,a,2,00:${isNew ? '17' : '11'}:00,00:${isNew ? '17' : '11'}:00
    # frequencies.txt
    trip_id,start_time,end_time,headway_secs,exact_times
    ${prefix}often,23:00:00,28:00:00,${isNew ? 2400 : 1500},1
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    ${prefix}daily,1,1,1,1,1,1,1,${begin},${end}
  `);
}

function writeClock(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
}

/** A version as the oracle reads it, and its first service date; days since 1970. */
interface NaiveVersion {
  readonly naive: NaiveTimetable;
  readonly firstDay: number;
}

/**
 * The rule itself, on the raw feeds: each service date uses the last of the versions whose first day has come.
 * @param versions in order of release
 */
export function divideNaive(versions: readonly NaiveVersion[]): NaiveBoards {
  const countsOn = (day: number) => versions.findLast(({ firstDay }) => firstDay <= day) ?? versions[0]!;
  const compare = (a: NaiveCall, b: NaiveCall) => a.time - b.time || comparePoints(a.line, b.line);
  return {
    stopIds: [...new Set(versions.flatMap(({ naive }) => naive.stopIds))],
    listCalls: (...question) =>
      versions
        .flatMap((version) => version.naive.listCalls(...question).filter(({ day }) => countsOn(day) === version))
        .sort(compare),
  };
}

/** Interface of the oracle. A stop that only one of the feeds has is found in that one. */
export type NaiveBoards = Pick<NaiveTimetable, 'stopIds' | 'listCalls'>;

/** First day of a feed by its calendar, in days since 1970. */
export function firstDayOf(naive: NaiveTimetable): number {
  return Math.min(...naive.trips.flatMap(({ days }) => [...days]));
}
