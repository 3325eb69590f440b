import type { Instant } from '../../pipeline/model/service-time.ts';
import { seededRandom } from '../../pipeline/predictions/forest/seeded-random.ts';
import {
  createFollower,
  type Follower,
  followVehicle,
  type VehicleFix,
} from '../../pipeline/realtime/passages/follow-vehicle.ts';
import { buildTripPath, type TripPath } from '../../pipeline/realtime/passages/trip-path.ts';
import { type Metric, median } from './metric.ts';

/** Vehicles of a country, and the lines that they share. */
const VEHICLES = 5000;
const LINES = 500;
const POINTS = 600;
const CALLS = 40;
const POLLS = 30;
/** Polls in which every vehicle is new, and code is cold. */
const WARM_UP = 5;
const POLL_SECONDS = 30;
const START = 1_780_000_000;
const METERS_PER_SECOND = 8;
const MICRODEGREES = 1e-6;

/** Measures how long it takes to follow all vehicles of a country along their trips in one poll. */
export function benchPassages(): Metric[] {
  const random = seededRandom(7);
  const lines = Array.from({ length: LINES }, () => makeLine(random));
  const vehicles = Array.from({ length: VEHICLES }, (_, i) => makeVehicle(lines[i % LINES]!, random));
  const polls: number[] = [];
  let passages = 0;
  for (let poll = 0; poll < POLLS; poll++) {
    const fixes = vehicles.map((vehicle) => placeVehicle(vehicle, poll * POLL_SECONDS, random));
    const begin = performance.now();
    for (let i = 0; i < VEHICLES; i++) passages += followVehicle(vehicles[i]!.follower, fixes[i]!).passages.length;
    if (poll >= WARM_UP) polls.push(performance.now() - begin);
  }
  return [
    { name: 'passages: vehicles in a poll', value: VEHICLES, unit: '' },
    { name: 'passages: calls timed in a poll', value: passages / POLLS, unit: '' },
    { name: 'passages: derived in a poll', value: median(polls), unit: 'ms', target: { atMost: 100 } },
  ];
}

interface Vehicle {
  readonly line: Line;
  readonly follower: Follower;
  /** Metres along the line when the first poll begins. */
  readonly from: number;
}

interface Line {
  readonly path: TripPath;
  readonly lat: Float64Array;
  readonly lon: Float64Array;
}

/** A winding line of some 18 km. */
function makeLine(random: () => number): Line {
  const [lat, lon] = [new Float64Array(POINTS), new Float64Array(POINTS)];
  let heading = random() * 2 * Math.PI;
  [lat[0], lon[0]] = [47 + random(), 13 + random()];
  for (let i = 1; i < POINTS; i++) {
    heading += (random() - 0.5) * 0.6;
    lat[i] = lat[i - 1]! + 270 * MICRODEGREES * Math.sin(heading);
    lon[i] = lon[i - 1]! + 400 * MICRODEGREES * Math.cos(heading);
  }
  const callPositions = Array.from({ length: CALLS }, (_, i) => (i * (POINTS - 1)) / (CALLS - 1));
  return { path: buildTripPath({ lat, lon, callPositions, isStraight: false }), lat, lon };
}

function makeVehicle(line: Line, random: () => number): Vehicle {
  const { path } = line;
  const from = random() * (path.along.at(-1)! - POLLS * POLL_SECONDS * METERS_PER_SECOND);
  const scheduled = path.calls.map((at) => START + (at - from) / METERS_PER_SECOND);
  const speeds = { maxSpeed: 30, cruisingSpeed: 11, stopMeters: 35 };
  return { line, from, follower: createFollower({ path, speeds, scheduled }) };
}

/** The position of a vehicle some seconds after the first poll, with an error of some metres. */
function placeVehicle({ line: { path, lat, lon }, from }: Vehicle, seconds: number, random: () => number): VehicleFix {
  const at = from + seconds * METERS_PER_SECOND;
  let point = 0;
  while (point < POINTS - 2 && path.along[point + 1]! <= at) point++;
  const share = (at - path.along[point]!) / (path.along[point + 1]! - path.along[point]!);
  const between = (values: Float64Array) => values[point]! + share * (values[point + 1]! - values[point]!);
  const error = () => (random() - 0.5) * 200 * MICRODEGREES;
  const time = (START + seconds) as Instant;
  return { time, lat: between(lat) + error(), lon: between(lon) + error(), call: -1, isStopped: false };
}
