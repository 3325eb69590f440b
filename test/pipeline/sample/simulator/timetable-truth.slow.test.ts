import { describe, expect, it } from 'vitest';
import {
  parseServiceTime,
  type ServiceDate,
  type ServiceTime,
  toInstant,
} from '../../../../pipeline/model/service-time.ts';
import { isAustrianHoliday } from '../../../../pipeline/sample/feed/calendar.ts';
import { parseCsv } from '../../../../pipeline/sample/feed/csv.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { buildSampleFeed } from '../../../../pipeline/sample/feed/sample-feed.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import type { SimulatedCall, SimulatedTrip } from '../../../../pipeline/sample/simulator/simulated-state.ts';
import { getRouteProduct } from '../../../../pipeline/timetable/feed/route-product.ts';
import { at, collectTrips } from './day-sweep.ts';

type Row = Record<string, string>;

const zone = 'Europe/Vienna';
const lookups = await readSampleLookups();
const simulator = createSimulator(lookups);
const feed = buildSampleFeed({ today: '2026-11-20' as ServiceDate }, lookups);
const rows = (file: string): Row[] => parseCsv(feed.get(file)!);
const isNasty = (id: string) => id.includes('pruef');

/** A trip of on-demand service has a window instead of times, and is not simulated. */
const onDemand = new Set(
  rows('stop_times.txt')
    .filter((row) => row.start_pickup_drop_off_window)
    .map(({ trip_id }) => trip_id!),
);
const tripRows = new Map(
  rows('trips.txt')
    .filter(({ trip_id }) => !isNasty(trip_id!) && !onDemand.has(trip_id!))
    .map((row) => [row.trip_id!, row]),
);
const callRows = new Map<string, Row[]>();
for (const row of rows('stop_times.txt')) {
  const calls = callRows.get(row.trip_id!);
  if (calls) calls.push(row);
  else callRows.set(row.trip_id!, [row]);
}
const frequencies = rows('frequencies.txt').filter(({ trip_id }) => !isNasty(trip_id!));
const calendar = rows('calendar.txt');
const calendarDates = rows('calendar_dates.txt');
const stopRows = new Map(rows('stops.txt').map((row) => [row.stop_id!, row]));

/** Ids of the trips with fixed times that run on a date, once per run. */
function runsOfFeed(date: string): string[] {
  const gtfsDate = date.replaceAll('-', '');
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  const name = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'][weekday]!;
  const services = new Set(calendar.filter((row) => row[name] === '1').map((row) => row.service_id!));
  for (const { service_id, date: day, exception_type } of calendarDates) {
    if (day !== gtfsDate) continue;
    if (exception_type === '1') services.add(service_id!);
    else services.delete(service_id!);
  }
  return [...tripRows.values()]
    .filter(({ service_id }) => services.has(service_id!))
    .flatMap(({ trip_id }) => runsOfTrip(trip_id!));
}

function runsOfTrip(tripId: string): string[] {
  const own = frequencies.filter(({ trip_id }) => trip_id === tripId);
  if (own.length === 0) return [`${tripId} ${parseServiceTime(callRows.get(tripId)![0]!.departure_time!)}`];
  return own.flatMap(({ start_time, end_time, headway_secs, exact_times }) => {
    if (exact_times === '0') return [];
    const runs: string[] = [];
    for (
      let start = parseServiceTime(start_time!)! as number;
      start < parseServiceTime(end_time!)!;
      start += Number(headway_secs)
    ) {
      runs.push(`${tripId} ${start}`);
    }
    return runs;
  });
}

const toRun = ({ tripId, startTime }: SimulatedTrip) => `${tripId} ${startTime}`;

// Trips are reported for more than two hours, so steps of two miss none.
it.each([
  ['a Friday, and the night into Saturday', '2026-11-20', '2026-11-20T02:00:00+01:00', '2026-11-21T12:00:00+01:00'],
  ['a Sunday on which the ship sails', '2026-12-06', '2026-12-06T02:00:00+01:00', '2026-12-08T06:00:00+01:00'],
  ['a holiday on a Tuesday', '2026-12-08', '2026-12-08T02:00:00+01:00', '2026-12-09T12:00:00+01:00'],
  ['the Saturday before summer time', '2027-03-27', '2027-03-27T02:00:00+01:00', '2027-03-28T12:00:00+02:00'],
  ['the first day of summer time', '2027-03-28', '2027-03-27T22:00:00+01:00', '2027-03-29T12:00:00+02:00'],
  ['the last day of summer time', '2027-10-31', '2027-10-30T22:00:00+02:00', '2027-11-01T12:00:00+01:00'],
])('runs the trips of the feed on %s', (_, date, first, last) => {
  const trips = [...collectTrips(simulator, date, [first, last], 7200).values()].filter(
    ({ state }) => state !== 'added',
  );
  expect(trips.map(toRun).sort()).toEqual(runsOfFeed(date).sort());
  expect(trips.filter((trip) => callsOf(trip) !== callsOfFeed(trip))).toEqual([]);
});

function callsOf({ calls }: SimulatedTrip) {
  return calls
    .map(({ stop, stopSequence, scheduledArrival, scheduledDeparture, scheduledPlatform }) =>
      [stop.stopId, stopSequence, scheduledArrival, scheduledDeparture, scheduledPlatform ?? ''].join(' '),
    )
    .join('\n');
}

/** As in the feed, moved to the start of the run. */
function callsOfFeed({ tripId, startDate, startTime }: SimulatedTrip) {
  const calls = callRows.get(tripId)!;
  const shift = startTime - parseServiceTime(calls[0]!.departure_time!)!;
  const instant = (time: string) => toInstant(startDate, (parseServiceTime(time)! + shift) as ServiceTime, zone);
  return calls
    .map(({ stop_id, stop_sequence, arrival_time, departure_time }) =>
      [
        stop_id,
        stop_sequence,
        instant(arrival_time!),
        instant(departure_time!),
        stopRows.get(stop_id!)!.platform_code,
      ].join(' '),
    )
    .join('\n');
}

describe('at half past midnight', () => {
  const { trips } = simulator.stateAt(at('2026-11-21T00:30:00+01:00'));

  it('has trips of both service days', () => {
    expect(trips.some(({ startDate, vehicle }) => startDate === '2026-11-20' && vehicle !== null)).toBe(true);
    expect(
      simulator.stateAt(at('2026-11-21T03:30:00+01:00')).trips.some(({ startDate }) => startDate === '2026-11-21'),
    ).toBe(true);
  });

  it('has the ship of two days ago in progress', () => {
    const ship = simulator.stateAt(at('2026-12-08T00:30:00+01:00')).trips.find(({ routeId }) => routeId === 'donau');
    expect(ship?.startDate).toBe('2026-12-06');
    expect(isAustrianHoliday('2026-12-08' as ServiceDate)).toBe(true);
  });
});

describe('names', () => {
  const { trips } = simulator.stateAt(at('2026-11-20T17:00:00+01:00'));
  const routeRows = new Map(rows('routes.txt').map((row) => [row.route_id!, row]));
  const agencies = new Map(rows('agency.txt').map((row) => [row.agency_id, row.agency_name]));

  it('of trips equal those of the feed', () => {
    for (const trip of trips) {
      const route = routeRows.get(trip.routeId)!;
      expect(trip.lineLabel).toBe(route.route_short_name);
      expect(trip.operatorName).toBe(agencies.get(route.agency_id));
      expect(trip.product).toBe(getRouteProduct(Number(route.route_type), route.route_short_name!));
      if (trip.state === 'added') {
        expect(tripRows.has(trip.tripId)).toBe(false);
        continue;
      }
      const row = tripRows.get(trip.tripId)!;
      expect([trip.headsign, trip.shortName ?? '', String(trip.directionId)]).toEqual([
        row.trip_headsign,
        row.trip_short_name,
        row.direction_id,
      ]);
    }
  });

  it('of stops equal those of the feed, including changed platforms', () => {
    const isWrong = ({ stop, assignedStopId, platform }: SimulatedCall) => {
      const row = stopRows.get(stop.stopId)!;
      const own = [row.stop_name, row.stop_code, row.parent_station].join('|');
      if (own !== [stop.name, stop.diva ?? '', stop.stationId ?? ''].join('|')) return true;
      if (assignedStopId === null) return false;
      const assigned = stopRows.get(assignedStopId)!;
      return assigned.parent_station !== stop.stationId || assigned.platform_code !== platform;
    };
    const calls = trips.flatMap((trip) => trip.calls);
    expect(calls.filter(isWrong)).toEqual([]);
    expect(calls.filter(({ assignedStopId }) => assignedStopId !== null).length).toBeGreaterThan(5);
  });
});
