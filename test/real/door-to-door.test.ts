import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Place, Trip, TripRequest } from '../../api/contract/definitions.ts';
import { openPlanner } from '../../api/engine/planner/open-planner.ts';
import { openPlaces } from '../../api/engine/trips/places.ts';
import { planTrips } from '../../api/engine/trips/plan-trips.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { distanceMeters } from '../../pipeline/model/geo.ts';
import { buildStreets } from '../../pipeline/streets/build-streets.ts';
import { openWalkRouter } from '../../pipeline/streets/open-walk-router.ts';
import { streetModes } from '../../pipeline/streets/published-streets.ts';
import type { Point, WalkRouter } from '../../pipeline/streets/walk-router.ts';
import { describeLegs } from '../api/engine/trips/trip-town.ts';
import { expectValidAnswer } from '../support/checks/contract-validator.ts';
import { instant, openWorld, type World } from '../support/worlds/board-world.ts';
import { realData } from '../support/worlds/real-data.ts';

// Real streets, and a made-up timetable: a bus every quarter of an hour through the valley, one to the mountains every
// hour, and a train.

const valley = [
  ['schaan', 'Schaan Bahnhof', 47.1687, 9.5083],
  ['linden', 'Schaan Linden', 47.16505, 9.5093],
  ['vaduz', 'Vaduz Post', 47.13905, 9.5208],
  ['triesen', 'Triesen Post', 47.1073, 9.5283],
  ['balzers', 'Balzers Post', 47.068, 9.503],
] as const;
const others = [
  ['steg', 'Steg Tunnel', 47.1113, 9.5735],
  ['malbun', 'Malbun Jöraboda', 47.1023, 9.6097],
  ['nendeln', 'Nendeln Bahnhof', 47.2005, 9.545],
] as const;

function writeFeed(): string {
  const clock = (minute: number) => `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}:00`;
  const trips: string[] = [];
  const calls: string[] = [];
  const add = (id: string, route: string, begin: number, stops: readonly (readonly [string, number])[]) => {
    trips.push(`${id},${route},daily,${route === 'train' ? 1 : ''}`);
    stops.forEach(([stop, minutes], i) => {
      calls.push(`${id},${stop},${i + 1},${clock(begin + minutes)},${clock(begin + minutes)}`);
    });
  };
  const south = [
    ['schaan', 0],
    ['linden', 2],
    ['vaduz', 11],
    ['triesen', 19],
    ['balzers', 30],
  ] as const;
  const north = [
    ['balzers', 0],
    ['triesen', 11],
    ['vaduz', 19],
    ['linden', 28],
    ['schaan', 30],
  ] as const;
  for (let minute = 6 * 60; minute < 22 * 60; minute += 15) {
    add(`south${minute}`, 'valley', minute, south);
    add(`north${minute}`, 'valley', minute + 7, north);
  }
  for (let minute = 6 * 60; minute < 20 * 60; minute += 60) {
    add(`up${minute}`, 'mountain', minute + 15, [
      ['vaduz', 0],
      ['steg', 22],
      ['malbun', 30],
    ]);
    add(`rail${minute}`, 'train', minute + 5, [
      ['nendeln', 0],
      ['schaan', 7],
    ]);
    add(`back${minute}`, 'train', minute + 40, [
      ['schaan', 0],
      ['nendeln', 7],
    ]);
  }
  const stops = [...valley, ...others].map((stop) => stop.join(','));
  return `
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    v,Verkehr,https://example.org,Europe/Vienna
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    ${stops.join('\n    ')}
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    valley,v,11,3
    mountain,v,21,3
    train,v,S2,2
    # trips.txt
    trip_id,route_id,service_id,bikes_allowed
    ${trips.join('\n    ')}
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    ${calls.join('\n    ')}
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260302,20260308
  `;
}

const place = (name: string, lat: number, lon: number): Place => ({ coord: { lat, lon }, name });
const schloss = place('Schloss Vaduz', 47.13955, 9.5243);
const museum = place('Kunstmuseum', 47.1385, 9.5218);
const gutenberg = place('Burg Gutenberg', 47.0653, 9.4995);
const planken = place('Planken', 47.1851, 9.5444);
const triesenberg = place('Triesenberg', 47.1189, 9.5419);
const universitaet = place('Universität', 47.1495, 9.5178);
const eschen = place('Eschen', 47.2107, 9.5222);
const ruggell = place('Ruggell', 47.238, 9.5253);
const malbun: Place = { stopId: 'at:malbun' };

const journeys: readonly [what: string, body: Partial<TripRequest> & Pick<TripRequest, 'from' | 'to'>][] = [
  ['on foot', { from: museum, to: gutenberg }],
  ['bike and ride', { from: planken, to: gutenberg, access: { modes: ['walk', 'bike'] } }],
  [
    'bike and ride, or by bicycle',
    { from: universitaet, to: malbun, access: { modes: ['bike'] }, direct: { modes: ['walk', 'bike'] } },
  ],
  ['a bicycle on board', { from: eschen, to: universitaet, bikeOnBoard: true }],
  ['park and ride', { from: ruggell, to: museum, access: { modes: ['car'] } }],
  ['a car at any station', { from: ruggell, to: museum, access: { modes: ['car'], parking: 'anyStation' } }],
  ['kiss and ride', { from: planken, to: gutenberg, access: { modes: ['car'], parking: 'none' } }],
  ['a taxi at the end', { from: museum, to: triesenberg, egress: { modes: ['walk', 'car'] } }],
  [
    'by car, by bicycle or by bus',
    { from: eschen, to: gutenberg, access: { modes: ['bike'] }, direct: { modes: ['walk', 'bike', 'car'] } },
  ],
  ['by bicycle, to arrive', { from: schloss, to: triesenberg, timeMode: 'arrival', direct: { modes: ['bike'] } }],
];

let dataDir: string;
let walks: WalkRouter;
let world: World;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-door-to-door-'));
  const pbf = realData('osm/liechtenstein.osm.pbf');
  const signal = new AbortController().signal;
  await buildStreets({ pbf, dataDir, modes: streetModes, signal }, { clock: systemClock, log: silentLog });
  walks = (await openWalkRouter(dataDir))!;
  world = await openWorld(writeFeed());
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test.each(journeys)('%s', async (what, body) => {
  const { timetable, realtime, references } = world;
  const result = await planTrips(
    {
      published: { timetable, realtime },
      planner: openPlanner(timetable),
      places: openPlaces(timetable),
      references,
      instant: instant('2026-03-04T07:30:00+01:00'),
      walks,
      isSpent: () => false,
    },
    {
      time: '2026-03-04T08:00:00+01:00',
      timeMode: 'departure',
      limit: 4,
      walkSpeedKmh: 4.7,
      maxWalkMeters: 1500,
      wheelchair: false,
      ...body,
    },
  );
  await expectValidAnswer('TripResult', result);
  for (const trip of result.trips) {
    process.stdout.write(
      `${what}\n${describeLegs(trip)
        .map((leg) => `    ${leg}\n`)
        .join('')}`,
    );
    expectJoined(trip);
  }
  // Without a car park near a stop there is no park and ride.
  const { lat, lon } = timetable.tables.stops;
  const isNear = (car: Point) => lat.some((north, stop) => distanceMeters(car.lat, car.lon, north, lon[stop]!) < 500);
  const hasCarPark = walks.vehicles!.parkAndRide.some(isNear);
  if (what === 'park and ride') process.stdout.write(`car parks: ${walks.vehicles!.parkAndRide.length}\n`);
  if (what !== 'park and ride' || hasCarPark) expect(result.trips.length).toBeGreaterThan(0);
  else expect(result.trips).toEqual([]);
});

/** Legs follow one another in place and time, and ways over streets are drawn from end to end at a possible speed. */
function expectJoined({ legs }: Trip): void {
  legs.forEach(({ mode, origin, destination, polyline, steps, distanceMeters: meters }, i) => {
    const [begin, end] = [origin.departure!, destination.arrival!].map((time) => Date.parse(time.scheduled!));
    const before = legs[i - 1]?.destination;
    if (before) {
      expect(before.name).toBe(origin.name);
      expect(Date.parse(before.arrival!.scheduled!)).toBeLessThanOrEqual(begin!);
    }
    if (mode !== 'bike' && mode !== 'car') return;
    expect(steps.length).toBeGreaterThan(1);
    for (const [point, stop] of [
      [polyline[0]!, origin],
      [polyline.at(-1)!, destination],
    ] as const) {
      expect(distanceMeters(point.lat, point.lon, stop.coord!.lat, stop.coord!.lon)).toBeLessThan(5);
    }
    const kmh = (meters! / ((end! - begin!) / 1000)) * 3.6;
    expect(kmh).toBeGreaterThan(mode === 'bike' ? 5 : 8);
    expect(kmh).toBeLessThan(mode === 'bike' ? 30 : 110);
  });
}
