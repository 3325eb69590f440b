import { beforeAll, describe, expect, it, test } from 'vitest';
import type { AlertLine, AlertReport } from '../../../../pipeline/model/realtime.ts';
import type { MatchedEntity } from '../../../../pipeline/realtime/matching/match-result.ts';
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

const line = (reported: Partial<AlertLine>): AlertLine => ({
  label: null,
  routeId: null,
  agencyId: null,
  operatorName: null,
  region: null,
  ...reported,
});

function match(reported: Partial<AlertReport>) {
  const { tables, matcher } = world;
  const found = matcher.matchAlert(alertReport(reported), context(MONDAY_MORNING));
  const { entities, ...rest } = found;
  const all = <Item>(list: (entity: MatchedEntity) => readonly Item[] | null) =>
    entities.flatMap((one) => list(one) ?? []);
  return {
    ...rest,
    routes: all(({ routes }) => routes).map((route) => tables.routes.routeId.get(route)),
    stops: all(({ stops }) => stops).map(world.stopId),
    trips: all(({ trips }) => trips).map(({ trip, day }) => nameTrip(tables, trip, day)),
  };
}

const NOTHING = { routes: [], stops: [], trips: [], operatorNames: [], stopNames: [], lines: [], unmatchedCount: 0 };

describe('lines', () => {
  const ours = { operatorName: 'Verkehrsbetriebe', region: null };
  test.each<[reason: string, reported: Partial<AlertLine>, expected: Partial<ReturnType<typeof match>>]>([
    ['by id', { routeId: 'r' }, { routes: ['r'], lines: [{ label: '1', ...ours }] }],
    ['by label, all lines with that label', { label: '7' }, { routes: ['o', 'q'], lines: [{ label: '7', ...ours }] }],
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
    ['of an operator, all of them', { agencyId: 'p' }, { routes: ['q'], operatorNames: ['Postbus'] }],
    ['of an unknown operator', { agencyId: 'x' }, { unmatchedCount: 1 }],
    ['of an operator by its name', { operatorName: 'Postbus' }, { routes: ['q'], operatorNames: ['Postbus'] }],
    [
      'that are not in the timetable',
      { label: 'U7', operatorName: 'Metro' },
      { lines: [{ label: 'U7', operatorName: 'Metro', region: null }], unmatchedCount: 1 },
    ],
    ['without any entity', {}, { unmatchedCount: 1 }],
  ])('%s', (_reason, reported, expected) => {
    expect(match({ lines: [line(reported)] })).toEqual({ ...NOTHING, ...expected });
  });

  it('are counted once', () => {
    const { lines, routes } = match({ lines: [line({ routeId: 'r' }), line({ label: '1' })] });
    expect([routes, lines.map(({ label }) => label)]).toEqual([['r'], ['1']]);
  });
});

describe('stops', () => {
  it('are rows if known, and names otherwise', () => {
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

describe('conditions', () => {
  const two = { lines: [line({ routeId: 'r' }), line({ agencyId: 'p' })], stops: [stopName('h'), stopName('c')] };
  const at = (lines: number[], stops: number[], directionId: 0 | 1 | null = null) => ({
    lines,
    stops,
    trips: [],
    directionId,
  });

  function conditions(reported: Partial<AlertReport>) {
    const { tables, matcher } = world;
    return matcher
      .matchAlert(alertReport(reported), context(MONDAY_MORNING))
      .entities.map(({ routes, stops, directionId }) => [
        routes?.map((route) => tables.routes.routeId.get(route)) ?? null,
        stops?.map(world.stopId) ?? null,
        directionId,
      ]);
  }

  it('are kept separate, and an operator at a stop has a name too', () => {
    const reported = { ...two, entities: [at([0], [0]), at([1], [1]), at([0], [], 1)] };
    expect(conditions(reported)).toEqual([
      [['r'], ['h'], null],
      [['q'], ['c'], null],
      [['r'], null, 1],
    ]);
    expect(match(reported).operatorNames).toEqual(['Postbus']);
    expect(match({ ...reported, operatorName: 'Verbund' }).operatorNames).toEqual(['Verbund']);
  });

  it('match nothing at an unknown stop; with foreign stop numbers of which none matches, the line matches', () => {
    const gone = (idSpace: 'gtfs' | 'rbl') => ({ lines: [line({ routeId: 'r' })], stops: [stopName('gone', idSpace)] });
    expect(conditions(gone('gtfs'))).toEqual([[['r'], [], null]]);
    expect(conditions(gone('rbl'))).toEqual([[['r'], null, null]]);
    expect(conditions({ ...gone('rbl'), isAccess: true })).toEqual([[['r'], [], null]]);
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

it('an alert without entities concerns nothing', () => {
  expect(match({})).toEqual(NOTHING);
});
