import { beforeAll, describe, expect, it, test } from 'vitest';
import type { AlertLine, AlertReport } from '../../../pipeline/model/realtime.ts';
import { feed, MONDAY, MONDAY_MORNING } from './line-one-feed.ts';
import {
  alertReport,
  context,
  type MatchingWorld,
  nameTrip,
  openMatching,
  stopName,
  tripName,
} from './matching-world.ts';

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: feed });
});

const line = (told: Partial<AlertLine>): AlertLine => ({
  label: null,
  routeId: null,
  agencyId: null,
  operatorName: null,
  region: null,
  ...told,
});

function match(told: Partial<AlertReport>) {
  const { tables, matcher } = world;
  const found = matcher.matchAlert(alertReport(told), context(MONDAY_MORNING));
  return {
    ...found,
    routes: found.routes.map((route) => tables.routes.routeId.get(route)),
    stops: found.stops.map(world.stopId),
    trips: found.trips.map(({ trip, day }) => nameTrip(tables, trip, day)),
  };
}

const NOTHING = { routes: [], stops: [], trips: [], stopNames: [], lines: [], unmatchedCount: 0 };

describe('lines', () => {
  const ours = { operatorName: 'Verkehrsbetriebe', region: null };
  test.each<[why: string, told: Partial<AlertLine>, expected: Partial<ReturnType<typeof match>>]>([
    ['by id', { routeId: 'r' }, { routes: ['r'], lines: [{ label: '1', ...ours }] }],
    ['by label, all that riders call so', { label: '7' }, { routes: ['o', 'q'], lines: [{ label: '7', ...ours }] }],
    [
      'by label, of one operator by name',
      { label: '7', operatorName: 'Postbus AG', region: 'Tirol' },
      { routes: ['q'], lines: [{ label: '7', operatorName: 'Postbus AG', region: 'Tirol' }] },
    ],
    [
      'by label, of one operator by id',
      { label: '7', agencyId: 'p' },
      { routes: ['q'], lines: [{ label: '7', operatorName: 'Postbus', region: null }] },
    ],
    ['of an operator, all of them', { agencyId: 'p' }, { routes: ['q'] }],
    [
      'that are not in the timetable',
      { label: 'U7', operatorName: 'Metro' },
      { lines: [{ label: 'U7', operatorName: 'Metro', region: null }], unmatchedCount: 1 },
    ],
    ['of which nothing is told', {}, { unmatchedCount: 1 }],
  ])('%s', (_why, told, expected) => {
    expect(match({ lines: [line(told)] })).toEqual({ ...NOTHING, ...expected });
  });

  it('are told once', () => {
    const { lines, routes } = match({ lines: [line({ routeId: 'r' }), line({ label: '1' })] });
    expect([routes, lines.map(({ label }) => label)]).toEqual([['r'], ['1']]);
  });
});

describe('stops', () => {
  it('are rows where they are known, and names in any case', () => {
    const stops = [
      stopName('h'),
      stopName('h1'),
      stopName('x', 'hafas', { name: 'Kirche', lat: 48, lon: 16.03 }),
      stopName('y', 'hafas', { name: 'Weit weg' }),
      stopName('z', 'rbl'),
    ];
    expect(match({ stops })).toEqual({
      ...NOTHING,
      stops: ['c', 'h', 'h1'],
      stopNames: ['Hauptbahnhof', 'Kirche', 'Weit weg'],
      unmatchedCount: 2,
    });
  });
});

describe('trips', () => {
  it('are dated, or counted', () => {
    const trips = [
      tripName({ tripId: 't1', startDate: MONDAY }),
      tripName({ tripId: 'night' }),
      tripName({ tripId: 'x' }),
    ];
    expect(match({ trips })).toEqual({ ...NOTHING, trips: ['t1 2026-03-02', 'night 2026-03-01'], unmatchedCount: 1 });
  });
});

it('an alert about nothing is about nothing', () => {
  expect(match({})).toEqual(NOTHING);
});
