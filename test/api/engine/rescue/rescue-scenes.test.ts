import { test } from 'vitest';
import { bus, busAndTram } from './fetch-rescue.ts';
import {
  anger,
  arrives,
  busOnly,
  checkScene,
  faraway,
  hasLeft,
  leaves,
  onTheWay,
  type Scene,
  seenAt,
} from './play-scene.ts';

// Scenes of a rescue before and on the way to the stop.

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
];

test.each(scenes)('%s', (_what, scene) => checkScene(scene));
