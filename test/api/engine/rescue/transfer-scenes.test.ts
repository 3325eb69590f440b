import { test } from 'vitest';
import { bus, busAndTram, cancelled } from './fetch-rescue.ts';
import {
  arrives,
  busOnly,
  checkScene,
  leaves,
  type Scene,
  skips,
  throughBus,
  toTheCourt,
  townWithRareTrains,
} from './play-scene.ts';

// Scenes of a rescue at a transfer, on a vehicle that continues as another trip, and after failures.

const scenes: readonly [string, Scene][] = [
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
    'four minutes for a walk of half a minute, where the feed requires six: it can be made',
    {
      transfers: ['s1,s2,2,360'],
      trips: [bus('08:14')],
      now: '08:03',
      legs: toTheCourt,
      state: ['atRisk', 1],
      options: ['wait +0', 'next +60'],
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

test.each(scenes)('%s', (_what, scene) => checkScene(scene));
