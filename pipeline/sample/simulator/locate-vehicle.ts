import { distanceMeters } from '../../model/geo.ts';
import type { PlannedRun } from './planned-run.ts';
import type { RunHistory } from './run-history.ts';
import type { SimulatedVehicle } from './simulated-state.ts';

/** At its last call a vehicle still stands for a while before it is taken away. */
const LINGER_SECONDS = 30;

/**
 * Where a vehicle is: standing at a call, or on the line's shape between two, at an even pace.
 * @param isSkipped whether a call is known to be left out; a vehicle neither stands there nor heads for it
 * @param now seconds of the service day
 * @returns null before it stands ready for its first call and after it has ended
 */
export function locateVehicle(
  run: PlannedRun,
  { arrivals, departures }: RunHistory,
  isSkipped: (call: number) => boolean,
  now: number,
): SimulatedVehicle | null {
  if (run.vehicleId === null || now < arrivals[0]! || now > arrivals.at(-1)! + LINGER_SECONDS) return null;
  const served = run.times.map((_, call) => call).filter((call) => !isSkipped(call));
  const first = served[0];
  const last = served.at(-1);
  if (first === undefined || last === undefined) return null;
  if (now < arrivals[first]! || now > arrivals[last]! + LINGER_SECONDS) return null;
  const position = served.find((call) => departures[call]! > now) ?? last;
  if (arrivals[position]! <= now) {
    const { lat, lon } = run.line.stops[position]!;
    return { id: run.vehicleId, lat, lon, headingDeg: headingAt(run, position), position, isStopped: true };
  }
  // Also between calls that it drives past: they have times too.
  const from = Math.max(
    first,
    departures.findLastIndex((departure) => departure <= now),
  );
  const part = (now - departures[from]!) / (arrivals[from + 1]! - departures[from]!);
  return { id: run.vehicleId, ...pointOnLeg(run, from, Math.min(1, part)), position, isStopped: false };
}

interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** Shapes have the same number of points on every leg. */
function legPoints(run: PlannedRun, from: number): readonly (Point & { readonly meters: number })[] {
  const { points } = run.line.timetable.shape;
  const perLeg = (points.length - 1) / (run.times.length - 1);
  return points.slice(from * perLeg, (from + 1) * perLeg + 1);
}

function pointOnLeg(run: PlannedRun, from: number, part: number): Point & { readonly headingDeg: number } {
  const points = legPoints(run, from);
  const start = points[0]!.meters;
  const meters = start + part * (points.at(-1)!.meters - start);
  const next = Math.max(
    1,
    points.findIndex((point) => point.meters >= meters),
  );
  const [a, b] = [points[next - 1]!, points[next]!];
  const share = b.meters > a.meters ? (meters - a.meters) / (b.meters - a.meters) : 0;
  return {
    lat: a.lat + (b.lat - a.lat) * share,
    lon: a.lon + (b.lon - a.lon) * share,
    headingDeg: headingDegrees(a, b),
  };
}

/** Where a standing vehicle looks: down the way that it leaves by, at the end up the way that it came. */
function headingAt(run: PlannedRun, call: number): number {
  const isLast = call === run.times.length - 1;
  const points = legPoints(run, isLast ? call - 1 : call);
  return isLast ? headingDegrees(points.at(-2)!, points.at(-1)!) : headingDegrees(points[0]!, points[1]!);
}

/** Degrees clockwise from north, 0 to 359; good enough for the length of a leg. */
function headingDegrees(from: Point, to: Point): number {
  const north = Math.sign(to.lat - from.lat) * distanceMeters(from.lat, from.lon, to.lat, from.lon);
  const east = Math.sign(to.lon - from.lon) * distanceMeters(to.lat, from.lon, to.lat, to.lon);
  return Math.round((Math.atan2(east, north) * 180) / Math.PI + 360) % 360;
}
