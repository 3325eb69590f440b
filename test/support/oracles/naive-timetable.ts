import { parseCsv } from '../../../pipeline/sample/feed/csv.ts';

/**
 * An independent implementation of boards: the simplest correct reading of a GTFS feed. It shares no code with the
 * service, and uses neither patterns nor binary search.
 */
export interface NaiveTimetable {
  readonly stopIds: readonly string[];
  /** Rows of stops.txt by id. */
  readonly stops: ReadonlyMap<string, Row>;
  readonly trips: readonly NaiveTrip[];
  /** All calls in `[from, to)`, in order of time, line, trip, service date and index in the trip. */
  listCalls(kind: NaiveKind, stopId: string, from: number, to: number): NaiveCall[];
  /** The same, with the index of each call in its trip. */
  listVisits(kind: NaiveKind, stopId: string, from: number, to: number): NaiveVisit[];
  /** The stop itself, and the platforms of a station. */
  listParts(stopId: string): string[];
  /** The station of a platform; the stop itself if it is not a platform. */
  stationOf(stopId: string): string;
  /** Platform code of a stop; null without one. */
  platformOf(stopId: string): string | null;
}

export type NaiveKind = 'departures' | 'arrivals';

interface NaiveVisit {
  readonly call: NaiveCall;
  readonly plan: NaiveTrip;
  /** Index of the call in the trip, from 0. */
  readonly place: number;
}

export interface NaiveCall {
  /** Seconds since 1970 UTC. */
  readonly time: number;
  readonly line: string;
  /** Destination of a departure, origin of an arrival. */
  readonly end: string;
  /** The trip and, if frequencies repeat it, the seconds at which the run begins: `t1` or `t1@28800`. */
  readonly trip: string;
  /** Days since 1970. */
  readonly day: number;
}

export type Row = Readonly<Record<string, string>>;

export interface NaiveTrip {
  readonly id: string;
  readonly line: string;
  readonly headsign: string;
  readonly zone: string;
  readonly days: ReadonlySet<number>;
  readonly calls: readonly Row[];
  /** Offsets that are added to the times of the rows, one per run. */
  readonly runs: readonly { readonly name: string; readonly shift: number }[];
  /** Row of trips.txt. */
  readonly row: Row;
}

const DAY = 86_400;
/** Upper limit for all feeds used here. */
const LONGEST_TRIP_DAYS = 5;

/** @param files file name to text */
export function readNaiveTimetable(files: ReadonlyMap<string, string>): NaiveTimetable {
  const read = (name: string) => readRows(files, name);
  const stops = new Map(read('stops.txt').map((row) => [row.stop_id!, row]));
  const trips = readTrips(read);
  const callsByStop = groupBy(
    [...trips.values()].flatMap((trip) => trip.calls.map((call, place) => ({ trip, call, place }))),
    ({ call }) => call.stop_id!,
  );
  const nameOf = (stopId: string) => stops.get(stopId)!.stop_name!;
  const listParts = (stopId: string) => [
    stopId,
    ...[...stops.values()].filter((row) => row.parent_station === stopId).map((row) => row.stop_id!),
  ];
  const listVisits = (kind: NaiveKind, stopId: string, from: number, to: number) => {
    const found: NaiveVisit[] = [];
    for (const { trip, call, place } of listParts(stopId).flatMap((id) => callsByStop.get(id) ?? [])) {
      const isDeparture = kind === 'departures';
      if (isDeparture ? place === trip.calls.length - 1 : place === 0) continue;
      if ((isDeparture ? call.pickup_type : call.drop_off_type) === '1') continue;
      const clock = seconds((isDeparture ? call.departure_time : call.arrival_time)!);
      const first = trip.calls[0]!;
      const last = trip.calls.at(-1)!;
      const end = isDeparture ? call.stop_headsign || trip.headsign || nameOf(last.stop_id!) : nameOf(first.stop_id!);
      for (let day = Math.floor(from / DAY) - LONGEST_TRIP_DAYS; day <= Math.floor(to / DAY) + 1; day++) {
        if (!trip.days.has(day)) continue;
        for (const { name, shift } of trip.runs) {
          const time = startOfDay(day, trip.zone) + clock + shift;
          if (time < from || time >= to) continue;
          found.push({ call: { time, line: trip.line, end, trip: name, day }, plan: trip, place });
        }
      }
    }
    return found.sort(
      (a, b) =>
        a.call.time - b.call.time ||
        comparePoints(a.call.line, b.call.line) ||
        comparePoints(a.call.trip, b.call.trip) ||
        a.call.day - b.call.day ||
        a.place - b.place,
    );
  };
  return {
    stopIds: [...stops.keys()],
    stops,
    trips: [...trips.values()],
    listCalls: (kind, stopId, from, to) => listVisits(kind, stopId, from, to).map(({ call }) => call),
    listVisits,
    listParts,
    stationOf: (stopId) => stops.get(stopId)!.parent_station || stopId,
    platformOf: (stopId) => stops.get(stopId)!.platform_code || null,
  };
}

/** Scheduled time of a call on a day, seconds since 1970. */
export function plannedTime(trip: NaiveTrip, day: number, place: number, event: 'arrival' | 'departure'): number {
  return startOfDay(day, trip.zone) + seconds(trip.calls[place]![`${event}_time`]!);
}

/** The rows of a file, trimmed: publishers pad names and values with blanks. */
export function readRows(files: ReadonlyMap<string, string>, name: string): Row[] {
  const text = files.get(name) ?? '';
  // Without a line end, a last line with an empty last value would be lost.
  return parseCsv(text === '' || text.endsWith('\n') ? text : `${text}\n`).map(trimAll);
}

function trimAll(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name.trim(), value.trim()]));
}

function readTrips(read: (name: string) => Row[]): Map<string, NaiveTrip> {
  const routes = new Map(read('routes.txt').map((row) => [row.route_id!, row]));
  const agencies = read('agency.txt');
  const services = readServices(read);
  const stopTimes = groupBy(read('stop_times.txt'), (row) => row.trip_id!);
  const frequencies = groupBy(read('frequencies.txt'), (row) => row.trip_id!);
  const trips = new Map<string, NaiveTrip>();
  for (const row of read('trips.txt')) {
    const id = row.trip_id!;
    const route = routes.get(row.route_id!)!;
    const agency = agencies.find((each) => each.agency_id === route.agency_id) ?? agencies[0]!;
    const calls = stopTimes.get(id)!.sort((a, b) => Number(a.stop_sequence) - Number(b.stop_sequence));
    // On-demand service has windows instead of times; another oracle covers it.
    if (calls.some((call) => call.start_pickup_drop_off_window)) continue;
    const ownStart = seconds(calls[0]!.departure_time!);
    const starts = (frequencies.get(id) ?? []).flatMap((each) => listStarts(each));
    trips.set(id, {
      id,
      line: route.route_short_name || route.route_long_name || route.route_id!,
      headsign: row.trip_headsign ?? '',
      zone: agency.agency_timezone!,
      days: services.get(row.service_id!) ?? new Set(),
      calls,
      runs:
        starts.length === 0
          ? [{ name: id, shift: 0 }]
          : [...new Set(starts)].map((start) => ({ name: `${id}@${start}`, shift: start - ownStart })),
      row,
    });
  }
  return trips;
}

export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function listStarts(frequency: Row): number[] {
  const starts: number[] = [];
  const [from, until] = [seconds(frequency.start_time!), seconds(frequency.end_time!)];
  for (let start = from; start < until; start += Number(frequency.headway_secs)) starts.push(start);
  return starts;
}

function readServices(read: (name: string) => Row[]): Map<string, Set<number>> {
  const services = new Map<string, Set<number>>();
  const daysOf = (id: string) => {
    const days = services.get(id) ?? new Set<number>();
    services.set(id, days);
    return days;
  };
  const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  for (const row of read('calendar.txt')) {
    for (let day = dayOf(row.start_date!); day <= dayOf(row.end_date!); day++) {
      if (row[weekdays[new Date(day * DAY * 1000).getUTCDay()]!] === '1') daysOf(row.service_id!).add(day);
    }
  }
  for (const row of read('calendar_dates.txt')) {
    if (row.exception_type === '1') daysOf(row.service_id!).add(dayOf(row.date!));
    else daysOf(row.service_id!).delete(dayOf(row.date!));
  }
  return services;
}

function dayOf(date: string): number {
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6))) / (DAY * 1000);
}

/** Parses a time such as `25:10:00`. */
export function seconds(clock: string): number {
  const parts = clock.split(':').map(Number);
  if (parts.length !== 3 || parts.some(Number.isNaN)) throw new Error(`"${clock}" is not a time`);
  return parts[0]! * 3600 + parts[1]! * 60 + parts[2]!;
}

const starts = new Map<string, number>();

/** Noon minus twelve hours: a clock in the zone at noon UTC shows its offset from noon. */
export function startOfDay(day: number, zone: string): number {
  const key = `${day} ${zone}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  const noonUtc = day * DAY + DAY / 2;
  const noon = new Date(noonUtc * 1000);
  const shown = noon.toLocaleTimeString('en-GB', { timeZone: zone });
  // East of +12 h the local date is the next day already.
  const shownDay = Date.parse(noon.toLocaleDateString('sv-SE', { timeZone: zone })) / 1000 / DAY;
  const start = noonUtc - seconds(shown) - (shownDay - day) * DAY;
  starts.set(key, start);
  return start;
}

export function comparePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
