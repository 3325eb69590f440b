import { beforeAll, expect, it } from 'vitest';
import type { CallObservation } from '../../../pipeline/model/observation.ts';
import type { Occupancy } from '../../../pipeline/model/occupancy.ts';
import type { CallReport } from '../../../pipeline/model/realtime.ts';
import { instant, openWorld, queryDepartures, queryJourney, type World } from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';
import { feedFromText } from '../../support/worlds/text-feed.ts';

// A bus at 08:00 from A, 08:10 from B, 08:20 from C, 08:45 from D to E.
const TIMES = ['08:00', '08:10', '08:20', '08:45', '08:55'];
const STOPS = ['a', 'b', 'c', 'd', 'e'];

let world: World;
beforeAll(async () => {
  world = await openWorld({
    at: feedFromText(`
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    x,X,https://x.example,Europe/Vienna
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    r,x,1,3
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    s,1,1,1,1,1,1,1,20260301,20260331
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    ${STOPS.map((stop, i) => `${stop},${stop.toUpperCase()},48,16.${i}`).join('\n    ')}
    # trips.txt
    trip_id,route_id,service_id
    t,r,s
    # stop_times.txt
    trip_id,stop_sequence,stop_id,arrival_time,departure_time
    ${STOPS.map((stop, i) => `t,${i + 1},${stop},${TIMES[i]}:00,${TIMES[i]}:00`).join('\n    ')}
  `),
  });
});

const DAY = '2026-03-03';
const at = (time: string) => `${DAY}T${time}:00+01:00`;
const trip = () => tripOf('t', { startDate: DAY as never });

/** A call reported on time, with an occupancy. */
const call = (stop: string, departureOccupancy: Occupancy | null, over: Partial<CallReport> = {}) =>
  callOf(stopOf(stop), {
    stopSequence: STOPS.indexOf(stop) + 1,
    departure: timeOf(at(TIMES[STOPS.indexOf(stop)]!)),
    ...(departureOccupancy && { departureOccupancy }),
    ...over,
  });

const reportCalls = (live: LiveWorld, time: string, ...calls: CallReport[]) =>
  live.report('rt', at(time), { isPropagating: true, trips: [reportOf(trip(), { calls })] }, 'trips');

/** @param position the call that the vehicle heads to */
const reportVehicle = (live: LiveWorld, time: string, occupancy: Occupancy | null, position: string | null, id = 'v') =>
  live.report(
    'rt',
    at(time),
    {
      vehicles: [
        vehicleOf(id, {
          trip: trip(),
          recordedAt: instant(at(time)),
          ...(position && { stopSequence: STOPS.indexOf(position) + 1, stopStatus: 'inTransitTo' }),
          ...(occupancy && { occupancy }),
        }),
      ],
    },
    `vehicle ${id}`,
  );

/** What boards say at each of the first four stops. */
async function show(live: LiveWorld, now: string): Promise<string> {
  const shown = live.at(at(now));
  const texts = await Promise.all(
    STOPS.slice(0, 4).map(async (stop) => {
      const { departures } = await queryDepartures(shown, `at:${stop}`, { time: at('07:55'), now: at(now) });
      const found = departures[0]?.attributes.find((text) => text.startsWith('occupancy:'));
      return found?.slice('occupancy:'.length) ?? '-';
    }),
  );
  return texts.join(' ');
}

it.each<[title: string, now: string, expected: string, act: (live: LiveWorld) => void]>([
  [
    'of a call counts at that call alone',
    '07:56',
    '- fewSeatsAvailable - -',
    (live) => reportCalls(live, '07:55', call('a', null), call('b', 'FEW_SEATS_AVAILABLE')),
  ],
  [
    'of a call without a time counts too',
    '07:56',
    '- full - -',
    (live) => reportCalls(live, '07:55', call('a', null), call('b', 'FULL', { state: 'noData', departure: null })),
  ],
  [
    'of a skipped call does not count',
    '07:56',
    '- - - -',
    (live) => reportCalls(live, '07:55', call('a', null), call('b', 'FULL', { state: 'skipped' })),
  ],
  [
    'of a call is too old after the source is',
    '08:01',
    '- - - -',
    (live) => reportCalls(live, '07:55', call('b', 'FULL')),
  ],
  [
    'that a later report lacks is withdrawn',
    '07:58',
    '- - - -',
    (live) => {
      reportCalls(live, '07:55', call('b', 'FULL'));
      reportCalls(live, '07:57', call('b', null));
    },
  ],
  [
    'of a vehicle counts at the calls of the next half hour, from its next call on',
    '08:05',
    '- standingRoomOnly standingRoomOnly -',
    (live) => reportVehicle(live, '08:05', 'STANDING_ROOM_ONLY', 'b'),
  ],
  [
    'of a vehicle without a place counts at the calls that are not over',
    '08:12',
    '- - empty -',
    (live) => reportVehicle(live, '08:12', 'EMPTY', null),
  ],
  [
    'of a call ranks before that of the vehicle',
    '08:05',
    '- standingRoomOnly full -',
    (live) => {
      reportVehicle(live, '08:05', 'STANDING_ROOM_ONLY', 'b');
      reportCalls(live, '08:05', call('b', null), call('c', 'FULL'));
    },
  ],
  [
    'of a call that is too old yields to that of the vehicle',
    '08:09',
    '- empty empty -',
    (live) => {
      reportCalls(live, '08:00', call('b', 'FULL'), call('c', 'FULL'));
      reportVehicle(live, '08:08', 'EMPTY', 'b');
    },
  ],
  [
    'of a vehicle is too old after eight minutes',
    '08:14',
    '- - - -',
    (live) => reportVehicle(live, '08:05', 'EMPTY', 'b'),
  ],
  [
    'of two coupled vehicles is that of the newer position',
    '08:06',
    '- full full -',
    (live) => {
      reportVehicle(live, '08:06', 'FULL', 'b', 'w');
      reportVehicle(live, '08:05', 'EMPTY', 'b', 'v');
    },
  ],
])('the occupancy %s', async (_title, now, expected, act) => {
  const live = await openLiveWorld(world);
  act(live);
  expect(await show(live, now)).toBe(expected);
});

it('is an attribute of a journey at its current call', async () => {
  const live = await openLiveWorld(world);
  reportVehicle(live, '08:05', 'NOT_ACCEPTING_PASSENGERS', 'b');
  const shown = live.at(at('08:05'));
  const { departures } = await queryDepartures(shown, 'at:b', { time: at('08:05') });
  const { attributes, stops } = await queryJourney(shown, departures[0]!.journeyRef!, { now: at('08:05') });
  expect(stops.find(({ isCurrent }) => isCurrent)!.name).toBe('B');
  expect(attributes).toEqual(['occupancy:notAcceptingPassengers']);
});

it('takes no space in a snapshot while no source reports any', async () => {
  const live = await openLiveWorld(world);
  reportCalls(live, '07:55', call('b', null));
  reportVehicle(live, '08:05', null, 'b');
  const { occupancies, addedOccupancies } = live.state.build(instant(at('08:05')));
  expect([occupancies.status, occupancies.expiresAt, addedOccupancies.status].map(({ length }) => length)).toEqual([
    0, 0, 0,
  ]);
});

/** `departure c FULL`, with the evidence. */
const describeObservation = ({ event, stopId, occupancy, evidence }: CallObservation) =>
  `${event} ${stopId} ${occupancy} ${evidence}`;

it('is emitted with the departure, once, and again when it changes', async () => {
  const live = await openLiveWorld(world);
  const emitted = (['FULL', 'FULL', 'EMPTY', null] as const).map((occupancy, minute) =>
    reportCalls(live, `07:5${minute}`, call('b', occupancy)).observations.map(describeObservation),
  );
  expect(emitted).toEqual([
    ['departure b FULL forecast'],
    [],
    ['departure b EMPTY forecast'],
    ['departure b null forecast'],
  ]);
});

it('is emitted without a time, with evidence unknown', async () => {
  const live = await openLiveWorld(world);
  const { observations } = reportCalls(live, '07:55', call('b', 'FULL', { state: 'noData', departure: null }));
  expect(observations.map(describeObservation)).toEqual(['departure b FULL unknown']);
  expect(observations[0]!.time).toBeNull();
});

it('is emitted with a departure from positions, as the vehicle has departed', async () => {
  const live = await openLiveWorld(world);
  const stand = (time: string, stop: string, occupancy: Occupancy) =>
    live.report('rt', at(time), {
      vehicles: [
        vehicleOf('v', {
          trip: trip(),
          recordedAt: instant(at(time)),
          stopSequence: STOPS.indexOf(stop) + 1,
          stopStatus: 'stoppedAt',
          lon: 16 + STOPS.indexOf(stop) / 10,
          occupancy,
        }),
      ],
    });
  stand('08:00', 'a', 'EMPTY');
  const { observations } = stand('08:10', 'b', 'FULL');
  const seen = observations.filter(({ uncertaintySeconds }) => uncertaintySeconds === null);
  expect(seen.map(describeObservation)).toEqual(['departure a FULL observed_actual', 'arrival b null observed_actual']);
});
