import type { Instant } from '../../../../pipeline/model/service-time.ts';
import {
  createFollower,
  type FixOutcome,
  followVehicle,
  type VehicleFix,
} from '../../../../pipeline/realtime/passages/follow-vehicle.ts';
import type { CallPassage } from '../../../../pipeline/realtime/passages/time-passages.ts';
import { buildTripPath } from '../../../../pipeline/realtime/passages/trip-path.ts';

/** Metres east and north of 48° N, 16° E. */
export type Meters = readonly [east: number, north: number];

const METERS_PER_DEGREE = 111_194.9;
const ORIGIN = { lat: 48, lon: 16 };

function toDegrees([east, north]: Meters): { lat: number; lon: number } {
  const lon = east / (METERS_PER_DEGREE * Math.cos((ORIGIN.lat * Math.PI) / 180));
  return { lat: ORIGIN.lat + north / METERS_PER_DEGREE, lon: ORIGIN.lon + lon };
}

/** A line through points in metres, on which the calls are given by their distance. */
export interface TestLine {
  readonly points: readonly Meters[];
  readonly callsAt: readonly number[];
}

/** The point at a distance along a line. */
export function pointAt(points: readonly Meters[], along: number): Meters {
  let rest = along;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (rest <= length || i === points.length - 1) {
      const share = length > 0 ? rest / length : 0;
      return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
    }
    rest -= length;
  }
  return points[0]!;
}

export const START = 1_780_000_000;
/** By the plan, a vehicle moves at this speed, and stops nowhere. */
const PLANNED_SPEED = 8;
export const busSpeeds = { maxSpeed: 25, cruisingSpeed: 11, stopMeters: 35 };

function followLine({ points, callsAt }: TestLine) {
  const degrees = points.map(toDegrees);
  const lengths = points.map((_, i) => {
    return i === 0 ? 0 : Math.hypot(points[i]![0] - points[i - 1]![0], points[i]![1] - points[i - 1]![1]);
  });
  const callPositions = callsAt.map((at) => {
    let [rest, point] = [at, 0];
    while (point < lengths.length - 2 && rest > lengths[point + 1]!) rest -= lengths[++point]!;
    return point + rest / lengths[point + 1]!;
  });
  const path = buildTripPath({
    lat: degrees.map(({ lat }) => lat),
    lon: degrees.map(({ lon }) => lon),
    callPositions,
    isStraight: false,
  });
  const scheduled = callsAt.map((at) => START + at / PLANNED_SPEED);
  return createFollower({ path, speeds: busSpeeds, scheduled });
}

/** A position in short form: seconds after the start, metres along the line or a point. */
export type TestFix = readonly [seconds: number, at: number | Meters, over?: Partial<VehicleFix>];

function toFix({ points }: TestLine, [seconds, at, over]: TestFix): VehicleFix {
  const place = toDegrees(typeof at === 'number' ? pointAt(points, at) : at);
  return { time: (START + seconds) as Instant, ...place, call: -1, isStopped: false, ...over };
}

/** @returns passages in the order in which they were derived, and how the positions were judged */
export function derive(line: TestLine, fixes: readonly TestFix[]): { passages: CallPassage[]; outcomes: FixOutcome[] } {
  const follower = followLine(line);
  const steps = fixes.map((fix) => followVehicle(follower, toFix(line, fix)));
  return { passages: steps.flatMap(({ passages }) => passages), outcomes: steps.map(({ outcome }) => outcome) };
}
