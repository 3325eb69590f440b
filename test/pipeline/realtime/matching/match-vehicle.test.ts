import { beforeAll, expect, it, test } from 'vitest';
import type { TripName, VehicleReport } from '../../../../pipeline/model/realtime.ts';
import { instant } from '../../../support/worlds/board-world.ts';
import { clock, feed, MONDAY, MONDAY_MORNING, SUNDAY } from './line-one-feed.ts';
import {
  context,
  type MatchingWorld,
  nameTrip,
  openMatching,
  stopName,
  tripName,
  vehicleReport,
} from './matching-world.ts';

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: feed });
});

/** `t1 2026-03-02 on r at 1: trip_id`, or the known part and the reason. */
function describeVehicle(trip: Partial<TripName> | null, reported: Partial<VehicleReport> = {}): string {
  const { tables, matcher } = world;
  const match = matcher.matchVehicle(vehicleReport(trip, reported), context(MONDAY_MORNING));
  if (match.kind === 'unmatched') return match.reason;
  const route = tables.routes.routeId.get(match.route);
  if (match.kind === 'route') {
    return `${match.trip === null ? '' : `${tables.trips.tripId.get(match.trip)} `}on ${route}: ${match.reason}`;
  }
  return `${nameTrip(tables, match.trip, match.day)} on ${route} at ${match.position}: ${match.how}`;
}

const t1 = { tripId: 't1', startDate: MONDAY };

test.each<[detail: string, trip: Partial<TripName> | null, reported: Partial<VehicleReport>, expected: string]>([
  ['on its trip, nowhere in particular', t1, {}, 't1 2026-03-02 on r at -1: trip_id'],
  ['at a numbered call', t1, { stopSequence: 2 }, 't1 2026-03-02 on r at 1: trip_id'],
  ['at a stop', t1, { stop: stopName('c') }, 't1 2026-03-02 on r at 2: trip_id'],
  ['at another platform', t1, { stop: stopName('h2'), stopSequence: 2 }, 't1 2026-03-02 on r at 1: trip_id'],
  ['at a stop that is not its own', t1, { stop: stopName('d') }, 't1 2026-03-02 on r at -1: trip_id'],
  [
    'without a date: when it was seen, not when we look',
    { tripId: 't1' },
    { recordedAt: instant('2026-03-01T08:05:00+01:00') },
    't1 2026-03-01 on r at -1: trip_id_no_date',
  ],
  [
    'by route and start',
    { routeId: 'r', startDate: MONDAY, startTime: clock('08:00'), directionId: 0 },
    {},
    't1 2026-03-02 on r at -1: route_start',
  ],
  // Six o'clock on a Sunday morning: the weekend trip runs instead.
  [
    'an id of the weekdays on a Sunday',
    { tripId: 'weekday', startDate: SUNDAY },
    {},
    'weekend 2026-03-08 on r at -1: route_start',
  ],
  ['a date beyond the timetable', { ...t1, startDate: '2027-01-01' as never }, {}, 't1 on r: not_running'],
  ['an unknown trip of a known line', { tripId: 'gone', routeId: 'l' }, {}, 'on l: unknown_trip'],
  ['a line by its label', { lineLabel: ' 9 ' }, {}, 'on l: no_planned_time'],
  ['two lines of one label: the product decides', { lineLabel: '5', product: 'tram' }, {}, 'on t: no_planned_time'],
  ['two lines of one label: neither', { lineLabel: '5' }, {}, 'no_planned_time'],
  ['nothing that is known', { tripId: 'gone', lineLabel: 'X' }, {}, 'unknown_trip'],
  ['no trip at all', null, {}, 'unknown_trip'],
])('matches a vehicle %s', (_reason, trip, reported, expected) => {
  expect(describeVehicle(trip, reported)).toBe(expected);
});

it('finds the route of a trip that the timetable lacks', () => {
  const find = (reported: Partial<TripName>) => world.matcher.matchRoute(tripName(reported), context(MONDAY_MORNING));
  const { routeId } = world.tables.routes;
  expect(routeId.get(find({ routeId: 'k' })!)).toBe('k');
  expect(routeId.get(find({ lineLabel: '7', operatorName: 'Postbus' })!)).toBe('q');
  expect(find({ lineLabel: '7' })).toBeNull();
  expect(find({})).toBeNull();
});
