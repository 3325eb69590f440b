import { expect, test } from 'vitest';
import type { RescueRequest, RescueResult } from '../../../../api/contract/definitions.ts';
import type { SourceUpdate, TripReport } from '../../../../pipeline/model/realtime.ts';
import { openWorld } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, vehicleOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { at, townTrip } from '../live-town.ts';
import { tripTown } from '../trips/trip-town.ts';
import { bus, busAndTram, cancelled, describeOption, fetchRescue, type RequestedLeg } from './fetch-rescue.ts';

// Scenes of a rescue: reports of the sources, position of the traveller, and the expected first options.

const busOnly: readonly RequestedLeg[] = [['t1', 'a', 'z']];
const toTheCourt: readonly RequestedLeg[] = [
  ['t1', 'a', 's1'],
  ['x1', 's2', 'x'],
];
/** One vehicle serves both trips. */
const throughBus: readonly RequestedLeg[] = [
  ['t3', 'h', 'z'],
  ['t4', 'z', 'a'],
];

const anger = { lat: 48.0, lon: 16.0 };
/** On the path of the bus, between the church and the station. */
const onTheWay = { lat: 48.03, lon: 16.03 };
const faraway = { lat: 48.2, lon: 16.4 };

/** Departs from its first stop at a time, with the same delay at all others. */
const leaves = (tripId: string, stop: string, clock: string): TripReport =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { departure: timeOf(at(clock)) })] });
/** Has left its first stop. */
const hasLeft = (tripId: string, stop: string, clock: string): TripReport =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { departure: timeOf(at(clock), null, true) })] });
const arrives = (tripId: string, stop: string, clock: string): TripReport =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { arrival: timeOf(at(clock)) })] });
const skips = (tripId: string, ...stops: readonly string[]): TripReport =>
  reportOf(townTrip(tripId), { calls: stops.map((stop) => callOf(stopOf(stop), { state: 'skipped' })) });
const seenAt = (tripId: string, place: { lat: number; lon: number }, clock: string): Partial<SourceUpdate> => ({
  vehicles: [vehicleOf('v', { trip: townTrip(tripId), ...place, recordedAt: timeOf(at(clock)).time })],
});

/** The second train to the court is so late that an itinerary search does not offer it beside the first one. */
const townWithRareTrains = tripTown
  .replace('x2,s2,1,09:18:00,09:18:00', 'x2,s2,1,09:38:00,09:38:00')
  .replace('x2,x,2,09:45:00,09:45:00', 'x2,x,2,10:05:00,10:05:00');

interface Scene {
  /** Default: `tripTown`. */
  readonly feed?: string;
  readonly trips?: readonly TripReport[];
  readonly also?: Partial<SourceUpdate>;
  /** Rows of transfers.txt. */
  readonly transfers?: readonly string[];
  readonly now: string;
  readonly legs: readonly RequestedLeg[];
  readonly request?: Partial<RescueRequest>;
  readonly state: readonly [RescueResult['state'], number?];
  /** The first options; the rest is not compared. */
  readonly options: readonly string[];
}

async function openTown({ feed = tripTown, trips = [], also = {}, transfers = [], now }: Scene) {
  const rules =
    transfers.length === 0
      ? ''
      : `# transfers.txt\nfrom_stop_id,to_stop_id,transfer_type,min_transfer_time\n${transfers.join('\n')}\n`;
  const live = await openLiveWorld(await openWorld(feed + rules));
  live.report('rt', at(now), { trips: [...trips], ...also });
  return live.at(at(now));
}

const scenes: readonly [string, Scene][] = [
  // The traveller is at the stop, the vehicle has yet to arrive.
  [
    'the vehicle is nine minutes late: wait, certain',
    {
      trips: [leaves('t1', 'a', '08:09')],
      now: '08:03',
      legs: busOnly,
      state: ['onTrack'],
      options: ['wait +9 100 % by 08:09'],
    },
  ],
  [
    'the vehicle is an hour late: wait, certain',
    {
      trips: [leaves('t1', 'a', '09:00')],
      now: '08:30',
      legs: busOnly,
      state: ['onTrack'],
      options: ['wait +60 100 % by 09:00'],
    },
  ],
  [
    'the vehicle leaves in this minute: wait, certain',
    {
      trips: [leaves('t1', 'a', '08:04')],
      now: '08:04',
      legs: busOnly,
      state: ['onTrack'],
      options: ['wait +4 100 %'],
    },
  ],
  [
    'a position at the stop changes nothing',
    {
      trips: [leaves('t1', 'a', '08:09')],
      now: '08:03',
      legs: busOnly,
      request: { position: anger },
      state: ['onTrack'],
      options: ['wait +9 100 % by 08:09'],
    },
  ],
  [
    'it is among the options whatever the limit',
    {
      trips: [leaves('t1', 'a', '08:09')],
      now: '08:03',
      legs: busOnly,
      request: { limit: 1 },
      state: ['onTrack'],
      options: ['wait +9 100 % by 08:09'],
    },
  ],
  [
    'nothing is reported: the plan',
    { now: '07:50', legs: busOnly, state: ['unknown'], options: ['wait +0 100 % by 08:00'] },
  ],
  [
    'on time, an hour before: the plan',
    {
      trips: [leaves('t1', 'a', '08:00')],
      now: '07:00',
      legs: busOnly,
      state: ['onTrack'],
      options: ['wait +0 100 % by 08:00'],
    },
  ],
  [
    'a transfer without probability: a certain option ten minutes earlier, and the plan',
    {
      trips: [arrives('t1', 's1', '08:10')],
      now: '07:50',
      legs: busAndTram,
      state: ['onTrack'],
      options: ['exitEarlier -10 100 %', 'wait +0 ? by 08:00'],
    },
  ],
  // The vehicle has left.
  [
    'it left six minutes early, and a punctual traveller missed it',
    { trips: [hasLeft('t1', 'a', '07:54')], now: '07:57', legs: busOnly, state: ['missed', 0], options: [] },
  ],
  [
    'it left six minutes early, but the position of the traveller is on board',
    {
      trips: [hasLeft('t1', 'a', '07:54')],
      now: '07:58',
      legs: busOnly,
      request: { position: { lat: 48.012, lon: 16.02 } },
      state: ['onTrack'],
      options: ['wait'],
    },
  ],
  [
    'a position on the platform, seventeen minutes after the departure',
    {
      trips: [bus('08:10')],
      now: '08:17',
      legs: busOnly,
      request: { position: anger },
      state: ['missed', 0],
      options: [],
    },
  ],
  [
    'a position on the platform, five minutes after the departure',
    {
      trips: [bus('08:10')],
      now: '08:05',
      legs: busOnly,
      request: { position: anger },
      state: ['missed', 0],
      options: [],
    },
  ],
  [
    'a position on the platform, in the minute after the departure: the vehicle may still be there',
    {
      trips: [bus('08:10')],
      now: '08:00:30',
      legs: busOnly,
      request: { position: anger },
      state: ['onTrack'],
      options: ['wait'],
    },
  ],
  [
    'a position on the path of the vehicle, where it is now',
    {
      trips: [bus('08:10')],
      now: '08:08',
      legs: busOnly,
      request: { position: onTheWay },
      state: ['onTrack'],
      options: ['wait'],
    },
  ],
  [
    'a position on the path that the vehicle passed ten minutes ago',
    {
      trips: [bus('08:10')],
      now: '08:20',
      legs: busOnly,
      request: { position: onTheWay },
      state: ['missed', 0],
      options: [],
    },
  ],
  [
    'a position that the vehicle has yet to reach',
    {
      trips: [bus('08:10')],
      now: '08:01',
      legs: busOnly,
      request: { position: onTheWay },
      state: ['missed', 0],
      options: [],
    },
  ],
  [
    'a position far from the path',
    {
      trips: [bus('08:10')],
      now: '08:08',
      legs: busOnly,
      request: { position: faraway },
      state: ['missed', 0],
      options: [],
    },
  ],
  [
    'the vehicle is observed beside the traveller, whatever its times',
    {
      trips: [bus('08:10')],
      also: seenAt('t1', onTheWay, '08:14'),
      now: '08:14',
      legs: busOnly,
      request: { position: onTheWay },
      state: ['onTrack'],
      options: ['wait'],
    },
  ],
  [
    'the vehicle is observed far ahead of the traveller',
    {
      trips: [bus('08:10')],
      also: seenAt('t1', { lat: 48.04, lon: 16.04 }, '08:06'),
      now: '08:06',
      legs: busOnly,
      request: { position: { lat: 48.012, lon: 16.02 } },
      state: ['missed', 0],
      options: [],
    },
  ],
  // The traveller has not reached the stop.
  [
    'a walk that fits: the plan',
    {
      trips: [leaves('t1', 'a', '08:00')],
      now: '07:40',
      legs: busOnly,
      request: { position: { lat: 48.004, lon: 16.0 } },
      state: ['onTrack'],
      options: ['wait +0 100 %'],
    },
  ],
  [
    'a walk that no longer fits',
    {
      trips: [leaves('t1', 'a', '08:00')],
      now: '07:58',
      legs: busOnly,
      request: { position: { lat: 48.004, lon: 16.0 } },
      state: ['missed', 0],
      options: [],
    },
  ],
  [
    'a walk that fits because the vehicle is late',
    {
      trips: [leaves('t1', 'a', '08:09')],
      now: '07:58',
      legs: busOnly,
      request: { position: { lat: 48.004, lon: 16.0 } },
      state: ['onTrack'],
      options: ['wait +9'],
    },
  ],
  [
    'too far to walk in time, beyond the usual distance',
    {
      trips: [leaves('t1', 'a', '08:00')],
      now: '07:30',
      legs: busOnly,
      request: { position: faraway },
      state: ['missed', 0],
      options: [],
    },
  ],
  [
    'too far to walk to the stop in time, but not to a later stop of the same vehicle',
    {
      trips: [leaves('t1', 'a', '08:00')],
      now: '07:50',
      legs: busOnly,
      request: { position: { lat: 48.02, lon: 16.02 } },
      state: ['missed', 0],
      options: ['reroute +0 100 %'],
    },
  ],
  // Transfers.
  [
    'a transfer at risk: the plan, and the alternative if it fails',
    {
      trips: [bus('08:16')],
      now: '08:03',
      legs: toTheCourt,
      state: ['atRisk', 1],
      options: ['wait +0 ? by 08:16', 'next +60 ? by 09:18'],
    },
  ],
  [
    'a transfer at risk, two options: both',
    {
      trips: [bus('08:16')],
      now: '08:03',
      legs: toTheCourt,
      request: { limit: 2 },
      state: ['atRisk', 1],
      options: ['wait +0 ? by 08:16', 'next +60 ? by 09:18'],
    },
  ],
  [
    'a transfer at risk, one option: the plan',
    {
      trips: [bus('08:16')],
      now: '08:03',
      legs: toTheCourt,
      request: { limit: 1 },
      state: ['atRisk', 1],
      options: ['wait +0 ? by 08:16'],
    },
  ],
  [
    'a transfer at risk before the start: the same',
    {
      trips: [bus('08:16')],
      now: '07:50',
      legs: toTheCourt,
      state: ['atRisk', 1],
      options: ['wait +0 ? by 08:00', 'next +60'],
    },
  ],
  [
    'the traveller stands at the transfer at risk: the plan, and the next train long after it',
    {
      feed: townWithRareTrains,
      trips: [bus('08:16')],
      now: '08:16:10',
      legs: toTheCourt,
      request: { limit: 2 },
      state: ['atRisk', 1],
      options: ['wait +0', 'next +80 100 % by 09:38'],
    },
  ],
  [
    'the traveller stands at the transfer at risk by a position: the same',
    {
      feed: townWithRareTrains,
      trips: [bus('08:16')],
      now: '08:16:10',
      legs: toTheCourt,
      request: { limit: 2, position: { lat: 48.04, lon: 16.04 } },
      state: ['atRisk', 1],
      options: ['wait +0', 'next +80 100 % by 09:38'],
    },
  ],
  [
    'the traveller stands at the transfer at risk, one option: the plan',
    {
      feed: townWithRareTrains,
      trips: [bus('08:16')],
      now: '08:16:10',
      legs: toTheCourt,
      request: { limit: 1 },
      state: ['atRisk', 1],
      options: ['wait +0'],
    },
  ],
  [
    'a transfer that the publisher guarantees: the plan, certain',
    {
      transfers: ['s1,s2,1,'],
      trips: [bus('08:17:30')],
      now: '08:03',
      legs: toTheCourt,
      state: ['onTrack'],
      options: ['wait +0 100 % by 08:17'],
    },
  ],
  [
    'the tram is as late as the bus: staying on the bus is earlier, and the plan',
    {
      trips: [bus('08:20'), leaves('t2', 's2', '08:30')],
      now: '08:03',
      legs: busAndTram,
      state: ['onTrack'],
      options: ['exitEarlier +2 100 %', 'wait +12 ?'],
    },
  ],
  [
    'the transfer was made, and the traveller is on the tram',
    {
      trips: [bus('08:10'), leaves('t2', 's2', '08:18')],
      now: '08:25',
      legs: busAndTram,
      state: ['onTrack'],
      options: ['wait +0 100 % by 08:40'],
    },
  ],
  [
    'at the station between both: certain',
    {
      trips: [bus('08:10'), leaves('t2', 's2', '08:25')],
      now: '08:20',
      legs: busAndTram,
      state: ['onTrack'],
      options: ['wait +7 100 %'],
    },
  ],
  // One vehicle serves both trips.
  [
    'one vehicle for both trips, three minutes late, with no report of the second trip',
    {
      trips: [arrives('t3', 'z', '08:55')],
      now: '08:30',
      legs: throughBus,
      state: ['onTrack'],
      options: ['wait +4 100 %'],
    },
  ],
  [
    'one vehicle for both trips, at the stop between them',
    {
      trips: [arrives('t3', 'z', '08:50')],
      now: '08:51',
      legs: throughBus,
      state: ['onTrack'],
      options: ['wait +0 100 % by 09:20'],
    },
  ],
  [
    'one vehicle for both trips, the second trip does not run',
    {
      trips: [arrives('t3', 'z', '08:50'), cancelled('t4')],
      now: '08:30',
      legs: throughBus,
      state: ['cancelled', 1],
      options: [],
    },
  ],
  [
    'one vehicle for both trips, before the start',
    {
      trips: [leaves('t3', 'h', '08:28')],
      now: '08:10',
      legs: throughBus,
      state: ['onTrack'],
      options: ['wait +2 100 % by 08:28'],
    },
  ],
  [
    'a late vehicle begins its next trip late, also for who boards there',
    {
      trips: [arrives('t3', 'z', '08:58')],
      now: '08:40',
      legs: [['t4', 'z', 'a']],
      state: ['onTrack'],
      options: ['wait +7 100 % by 08:59'],
    },
  ],
  [
    'a transfer to the next trip of a late vehicle is made',
    {
      trips: [arrives('t1', 'z', '08:55'), arrives('t3', 'z', '08:58')],
      now: '08:40',
      legs: [
        ['t1', 'a', 'z'],
        ['t4', 'z', 'a'],
      ],
      state: ['onTrack'],
      options: ['wait +7'],
    },
  ],
  [
    'another way leads over the next trip of a late vehicle',
    {
      trips: [cancelled('t2'), leaves('t1', 's1', '08:40'), arrives('t3', 'z', '09:00')],
      now: '08:16',
      legs: [
        ['t2', 's2', 'z'],
        ['t4', 'z', 'a'],
      ],
      state: ['cancelled', 0],
      options: ['reroute +9'],
    },
  ],
  [
    'a report of the next trip outweighs the delay before it',
    {
      trips: [arrives('t3', 'z', '08:58'), leaves('t4', 'z', '08:52')],
      now: '08:40',
      legs: [['t4', 'z', 'a']],
      state: ['onTrack'],
      options: ['wait +0 100 % by 08:52'],
    },
  ],
  // Cancellations.
  [
    'the vehicle does not run',
    { trips: [cancelled('t1')], now: '07:50', legs: busOnly, state: ['cancelled', 0], options: [] },
  ],
  [
    'the boarding stop is skipped',
    { trips: [skips('t1', 'a')], now: '07:50', legs: busOnly, state: ['cancelled', 0], options: [] },
  ],
  [
    'the last stop is skipped',
    { trips: [skips('t1', 'z')], now: '07:50', legs: busOnly, state: ['cancelled', 0], options: [] },
  ],
  [
    'an intermediate stop is skipped',
    { trips: [skips('t1', 'k')], now: '07:50', legs: busOnly, state: ['onTrack'], options: ['wait +0 100 % by 08:00'] },
  ],
  [
    'the trip terminates early, after the traveller has alighted',
    {
      trips: [skips('t1', 'z')],
      now: '07:50',
      legs: [['t1', 'a', 's1']],
      state: ['onTrack'],
      options: ['wait +0 100 % by 08:00'],
    },
  ],
  // After the trip.
  ['the trip has ended', { trips: [bus('08:10')], now: '08:55', legs: busAndTram, state: ['onTrack', 1], options: [] }],
  [
    'the trip has ended, and nothing was ever reported',
    { now: '08:55', legs: busAndTram, state: ['onTrack', 1], options: [] },
  ],
  [
    'the trip would have ended, but the last vehicle did not run',
    { trips: [bus('08:10'), cancelled('t2')], now: '08:39', legs: busAndTram, state: ['cancelled', 1], options: [] },
  ],
];

test.each(scenes)('%s', async (_what, scene) => {
  const { now, legs, request, state, options } = scene;
  const result = await fetchRescue(await openTown(scene), now, legs, request, { freshAt: now });
  expect([result.state, result.atLeg]).toEqual([state[0], state[1]]);
  expect(result.options.map(describeOption).slice(0, options.length)).toEqual(
    options.map((option) => expect.stringContaining(option)),
  );
  const isOver = state[0] === 'missed' || state[0] === 'cancelled';
  if (isOver) expect(result.options.map(({ kind }) => kind)).not.toContain('wait');
});
