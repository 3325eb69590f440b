import { beforeAll, describe, expect, it } from 'vitest';
import type { Trip, TripRequest } from '../../../../api/contract/definitions.ts';
import { listLegRefs } from '../../../../api/contract/leg-refs.ts';
import { findLegAlternatives } from '../../../../api/engine/alternatives/find-leg-alternatives.ts';
import { getJourney } from '../../../../api/engine/journeys/journeys.ts';
import type { TripsContext } from '../../../../api/engine/trips/plan-trips.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { expectValidAnswer } from '../../../support/checks/contract-validator.ts';
import { clockOf, findRefusal, openWorld, queryDepartures, type World } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { at, DAY } from '../live-town.ts';
import { buildTripRequest, openTrips, requestTrips } from '../trips/trip-questions.ts';

/** A bus to the station every 10 minutes, and on from its other platform two lines, of which one is slow. */
const town = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
  a,Anger,48.000,16.000,0,,
  s,Bahnhof,48.040,16.040,1,,
  s1,Bahnhof,48.0400,16.0400,0,s,1
  s2,Bahnhof,48.0403,16.0400,0,s,2
  z,Ziel,48.080,16.100,0,,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  bus,v,1,Anger - Bahnhof,3
  train,v,S5,Bahnhof - Ziel,109
  slow,v,9,Bahnhof - Ziel,3
  # trips.txt
  trip_id,route_id,service_id,bikes_allowed
${[0, 10, 20, 30, 40, 50].map((minute) => `  b${minute},bus,daily,1`).join('\n')}
  t15,train,daily,1
  t45,train,daily,2
  t55,slow,daily,1
  t75,train,daily,1
  t105,train,daily,1
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
${[0, 10, 20, 30, 40, 50].map((m) => `  b${m},a,1,08:${two(m)}:00,08:${two(m)}:00\n  b${m},s1,2,08:${two(m + 8)}:00,08:${two(m + 8)}:00`).join('\n')}
${[15, 45, 55, 75, 105].map((m) => `  t${m},s2,1,${clock(m)},${clock(m)}\n  t${m},z,2,${clock(m + 20)},${clock(m + 20)}`).join('\n')}
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`;

function two(minutes: number): string {
  return String(minutes).padStart(2, '0');
}

function clock(minutes: number): string {
  return `${two(8 + Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
}

let world: World;
let planned: Trip;
beforeAll(async () => {
  world = await openWorld(town);
  const context = openTrips(world, '07:00');
  const [found] = (await requestTrips(context, { ...search, time: at('08:15') })).trips;
  expect(describeRides(found!)).toBe('1 08:30, S5 08:45');
  // An earlier bus, which is an alternative itself.
  const legAlternatives = { legs: listLegRefs(found!), leg: 0 };
  planned = (await findLegAlternatives(context, { ...search, legAlternatives })).trips[1]!;
});

const onFoot: TripRequest['egress'] = { modes: ['walk'] };
const search = buildTripRequest({ stopId: 'at:a' }, { stopId: 'at:z' }, { limit: 1 });

async function request(context: TripsContext, leg: number, over: Partial<TripRequest> = {}): Promise<Trip[]> {
  const answer = await findLegAlternatives(context, {
    ...search,
    legAlternatives: { legs: listLegRefs(planned), leg },
    ...over,
  });
  await expectValidAnswer('TripResult', answer);
  expect(Object.keys(answer)).toEqual(['trips']);
  return answer.trips;
}

const describeRides = ({ legs }: Trip) =>
  legs.flatMap(({ line, origin }) => (line ? `${line.label} ${clockOf(origin.departure!.scheduled!)}` : [])).join(', ');

describe('the departures that may replace', () => {
  it('the first leg depart now or later, and connect to the second', async () => {
    expect(describeRides(planned)).toBe('1 08:20, S5 08:45');
    const trips = await request(openTrips(world, '07:00'), 0);
    expect(trips.map(describeRides)).toEqual(['1 08:00, S5 08:45', '1 08:10, S5 08:45', '1 08:30, S5 08:45']);
    const late = await request(openTrips(world, '08:05'), 0);
    expect(late.map(describeRides)).toEqual(['1 08:10, S5 08:45', '1 08:30, S5 08:45']);
  });

  it('the second leg depart after the first has arrived, on any line', async () => {
    const trips = await request(openTrips(world, '07:00'), 1);
    expect(trips.map(describeRides)).toEqual(['1 08:20, 9 08:55', '1 08:20, S5 09:15']);
    const [transfer] = trips[1]!.legs.filter(({ mode }) => mode === 'transfer');
    expect([transfer!.transferRisk, transfer!.attributes.includes('transferSeconds:2820')]).toEqual(['ok', true]);
  });

  it.each<[what: string, over: Partial<TripRequest>, expected: readonly string[]]>([
    ['products', { products: ['cityBus', 'regionalBus'] }, ['1 08:20, 9 08:55']],
    ['avoided lines', { avoid: { lines: ['9'] } }, ['1 08:20, S5 09:15', '1 08:20, S5 09:45']],
    ['a bicycle', { bikeOnBoard: true, access: onFoot, egress: onFoot }, ['1 08:20, 9 08:55', '1 08:20, S5 09:15']],
    ['a minimum transfer time', { minTransferMinutes: 30 }, ['1 08:20, S5 09:15', '1 08:20, S5 09:45']],
  ])('respect %s', async (_, over, expected) => {
    const trips = await request(openTrips(world, '07:00'), 1, over);
    expect(trips.map(describeRides)).toEqual(expected);
  });

  it('respect realtime: a late bus that was too early before, and a cancelled train', async () => {
    const reported = await report('08:21', [
      reportOf(tripOf('b20', { startDate: DAY as ServiceDate }), {
        calls: [callOf(stopOf('s1'), { arrival: timeOf(at('08:54')) })],
      }),
      reportOf(tripOf('t75', { startDate: DAY as ServiceDate }), { relationship: 'cancelled', calls: [] }),
    ]);
    const trips = await request(openTrips(reported, '08:21'), 1);
    // The second one is that of the next day.
    expect(trips.map(describeRides)).toEqual(['1 08:20, S5 09:45', '1 08:20, S5 08:15']);
  });

  it('are the same as those of boards', async () => {
    const context = openTrips(world, '07:00');
    const board = await queryDepartures(world, 'at:s', { time: at('08:31'), durationMinutes: 120 });
    const leading = board.departures.filter(({ journeyRef }) => {
      const { stops } = getJourney(context, journeyRef!, undefined);
      return stops.some(({ name }) => name === 'Ziel') && journeyRef !== listLegRefs(planned)[1]!.journeyRef;
    });
    const expected = leading
      .map(({ line, departure }) => `1 08:20, ${line.label} ${clockOf(departure.scheduled!)}`)
      .slice(0, 2);
    expect((await request(context, 1)).map(describeRides)).toEqual(expected);
  });
});

async function report(now: string, trips: readonly ReturnType<typeof reportOf>[]): Promise<World> {
  const live = await openLiveWorld(world);
  live.report('rt', at(now), { trips: [...trips] });
  return live.at(at(now));
}

describe('refuses', () => {
  const legs = () => listLegRefs(planned);
  it.each<[what: string, over: () => Partial<TripRequest>, refusal: string]>([
    [
      'a leg that is not there',
      () => ({ legAlternatives: { legs: legs(), leg: 2 } }),
      'invalid_body /legAlternatives/leg',
    ],
    [
      'an altered reference',
      () => ({ legAlternatives: { legs: [{ ...legs()[0]!, journeyRef: 'x' }], leg: 0 } }),
      'unknown_journey /legAlternatives/legs/0/journeyRef',
    ],
    [
      'a stop of another journey',
      () => ({ legAlternatives: { legs: [{ ...legs()[0]!, destinationId: 'at:z' }], leg: 0 } }),
      'invalid_body /legAlternatives/legs/0/destinationId',
    ],
    ['another origin', () => ({ from: { stopId: 'at:z' } }), 'invalid_body /from'],
    ['another destination', () => ({ to: { stopId: 'at:a' } }), 'invalid_body /to'],
  ])('%s', async (_, over, refusal) => {
    expect(await findRefusal(() => request(openTrips(world, '07:00'), 0, over()))).toBe(refusal);
  });

  it('rejects a journey that ended long ago', async () => {
    const context = openTrips(world, '2026-03-08T08:00:00+01:00');
    expect(await findRefusal(() => request(context, 0))).toBe('journey_expired /legAlternatives/legs/0/journeyRef');
  });
});
