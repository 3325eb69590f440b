import { beforeAll, describe, expect, it } from 'vitest';
import type { Trip, TripRequest } from '../../../../api/contract/definitions.ts';
import type { TripsContext } from '../../../../api/engine/trips/plan-trips.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { findRefusal } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../../support/worlds/live-reports.ts';
import { at, DAY } from '../live-town.ts';
import { buildTripRequest, openTrips, requestTrips } from './trip-questions.ts';
import { liveTripTown, openTripTown } from './trip-town.ts';

let context: TripsContext;
beforeAll(async () => {
  context = openTrips(await openTripTown(), '07:00');
});

const search = async (avoid: TripRequest['avoid'], over: Partial<TripRequest> = {}) => {
  const body = buildTripRequest({ stopId: 'at:a' }, { stopId: 'at:z' }, { maxWalkMeters: 0, limit: 1, ...over });
  return requestTrips(context, { ...body, ...(avoid ? { avoid } : {}) });
};
const listLines = ({ legs }: Trip) => legs.flatMap(({ line }) => line?.label ?? []).join(' ');

describe('a trip avoids', () => {
  it.each<[what: string, avoid: TripRequest['avoid'], lines: readonly string[]]>([
    ['nothing', undefined, ['1']],
    ['nothing, with empty lists', { lines: [], operators: [], stopIds: [], products: [] }, ['1']],
    ['an unknown line', { lines: ['99'] }, ['1']],
    ['its line by label', { lines: ['1'] }, []],
    ['its line by id', { lines: ['at:r1'] }, []],
    ['its operator', { operators: ['Verkehr'] }, []],
    ['another operator', { operators: ['Werk'] }, ['1']],
    ['its product', { products: ['cityBus', 'regionalBus'] }, []],
    ['the tram', { products: ['tram'] }, ['1']],
    ['a stop on the way, which the vehicle passes', { stopIds: ['at:k'] }, ['1']],
    ['its end', { stopIds: ['at:z'] }, []],
  ])('%s', async (_, avoid, lines) => {
    const { trips } = await search(avoid);
    expect(trips.map(listLines)).toEqual(lines);
  });

  it('a station with its platforms, and keeps vehicles that others may not use', async () => {
    const toCourt = { to: { stopId: 'at:x' } };
    expect((await search(undefined, toCourt)).trips.map(listLines)).toEqual(['1 S5']);
    expect((await search({ stopIds: ['at:s'] }, toCourt)).trips).toEqual([]);
    expect((await search({ stopIds: ['at:s1'] }, toCourt)).trips).toEqual([]);
  });
});

it('refuses an unknown stop with its place in the request', async () => {
  expect(await findRefusal(() => search({ stopIds: ['at:k', 'at:nowhere'] }))).toBe('unknown_stop /avoid/stopIds/1');
});

it('keeps a page to the same avoidance', async () => {
  const { laterRef } = await search({ lines: ['2', '3'] });
  const follow = async (lines: readonly string[]) => {
    const body = buildTripRequest({ stopId: 'at:a' }, { stopId: 'at:z' }, { maxWalkMeters: 0, limit: 1 });
    return requestTrips(context, { ...body, avoid: { lines: [...lines] }, pageRef: laterRef! });
  };
  await expect(follow(['3', '2'])).resolves.toMatchObject({ trips: expect.any(Array) });
  expect(await findRefusal(() => follow(['1']))).toBe('invalid_body /pageRef');
});

it('avoids added trips of a line that the timetable lacks', async () => {
  const added = reportOf(tripOf('extra', { lineLabel: 'E', startDate: DAY as ServiceDate }), {
    relationship: 'added',
    calls: [
      callOf(stopOf('a'), { departure: timeOf(at('07:20')) }),
      callOf(stopOf('z'), { arrival: timeOf(at('07:40')) }),
    ],
  });
  const world = await liveTripTown('07:00', { trips: [added] });
  const live = openTrips(world, '07:00');
  const body = buildTripRequest(
    { stopId: 'at:a' },
    { stopId: 'at:z' },
    { maxWalkMeters: 0, limit: 1, time: at('07:05') },
  );
  expect((await requestTrips(live, body)).trips.map(listLines)).toEqual(['E']);
  expect((await requestTrips(live, { ...body, avoid: { lines: ['E'] } })).trips.map(listLines)).toEqual(['1']);
});
