import { distanceMeters } from '../../model/geo.ts';
import type { Instant, ServiceTime } from '../../model/service-time.ts';
import { isMeasured, publisherOf } from '../feed/publishers.ts';
import { variation } from '../feed/variation.ts';
import type { PlannedTrip } from './planned-trip.ts';
import type { Outage } from './service-day.ts';
import type { SimulatedCall, SimulatedTrip, SimulatedVehicle } from './simulated-state.ts';
import type { PlatformChange, TripHistory } from './trip-history.ts';

/** Times of a trip as known at an instant: observed until then, forecast afterwards. */
interface KnownTimes {
  /** Seconds of the service day, one per call; non-decreasing along the trip. Observed until now. */
  readonly arrivals: readonly number[];
  readonly departures: readonly number[];
}

/** Beyond this horizon, forecasts use only the current delay; within it, increasingly the actual delay. */
const SIGHT_SECONDS = 900;
/** Time constant of the decay of the current delay: operators expect their vehicles to catch up. */
const DECAY_SECONDS = 5400;
/** Amplitude of the fluctuation of forecasts that look half an hour ahead. */
const WAVER_SECONDS = 70;
const WAVER_KNOT_SECONDS = 600;

/**
 * Forecasts as a control room would make them at an instant. A future event is always expected later than now.
 * @param now seconds of the service day
 */
function forecastTrip(datedTrip: PlannedTrip, history: TripHistory, now: number, seed: number): KnownTimes {
  if (history.departures.at(-1)! <= now) return history;
  const view: View = { datedTrip, now, ...latestDelay(datedTrip, history, now), waver: waverAt(datedTrip, now, seed) };
  const arrivals = history.arrivals.slice();
  const departures = history.departures.slice();
  const { earlySeconds } = datedTrip.line.profile;
  let earliest = now + 1;
  datedTrip.times.forEach(({ arrivalSeconds, departureSeconds }, i) => {
    if (history.arrivals[i]! > now) {
      arrivals[i] = Math.max(earliest, expect(view, datedTrip.startSeconds + arrivalSeconds, history.arrivals[i]!));
      earliest = arrivals[i]!;
    }
    if (history.departures[i]! > now) {
      const planned = datedTrip.startSeconds + departureSeconds;
      const isEnd = i === 0 || i === datedTrip.times.length - 1;
      const soonest = isEnd ? earliest : Math.max(earliest, planned - earlySeconds);
      departures[i] = Math.max(soonest, expect(view, planned, history.departures[i]!));
      earliest = departures[i]!;
    }
  });
  return { arrivals, departures };
}

/** Knowledge of the control room. */
interface View {
  readonly datedTrip: PlannedTrip;
  readonly now: number;
  /** Delay of the last event; 0 for a trip that has not started. */
  readonly delaySeconds: number;
  readonly hasBegun: boolean;
  /** From -1 to 1. */
  readonly waver: number;
}

function expect({ datedTrip, now, delaySeconds, hasBegun, waver }: View, planned: number, actual: number): number {
  const ahead = actual - now;
  if (!hasBegun && ahead >= SIGHT_SECONDS) return planned;
  const sight = Math.max(0, 1 - ahead / SIGHT_SECONDS);
  const carriedOn = delaySeconds * Math.exp(-ahead / DECAY_SECONDS);
  const wavering = hasBegun ? waver * WAVER_SECONDS * Math.min(1, ahead / (2 * SIGHT_SECONDS)) : 0;
  const delay = sight * (actual - planned) + (1 - sight) * (carriedOn + wavering);
  const step = datedTrip.line.profile.forecastStepSeconds;
  // An early forecast is rounded towards the plan: nobody should miss the vehicle because of rounding.
  return planned + (delay < 0 ? Math.ceil(delay / step) : Math.round(delay / step)) * step;
}

function latestDelay(
  datedTrip: PlannedTrip,
  { arrivals, departures }: TripHistory,
  now: number,
): Pick<View, 'delaySeconds' | 'hasBegun'> {
  const call = departures.findLastIndex((departure) => departure <= now);
  if (call === -1) return { delaySeconds: 0, hasBegun: false };
  const next = call + 1;
  const { startSeconds, times } = datedTrip;
  if (next < times.length && arrivals[next]! <= now) {
    return { delaySeconds: arrivals[next]! - startSeconds - times[next]!.arrivalSeconds, hasBegun: true };
  }
  return { delaySeconds: departures[call]! - startSeconds - times[call]!.departureSeconds, hasBegun: true };
}

/** A slow wave, so that forecasts drift rather than jump between two answers. */
function waverAt(datedTrip: PlannedTrip, now: number, seed: number): number {
  const knot = Math.floor(now / WAVER_KNOT_SECONDS);
  const part = now / WAVER_KNOT_SECONDS - knot;
  const before = variation(seed, `waver ${datedTrip.key} ${knot}`);
  const after = variation(seed, `waver ${datedTrip.key} ${knot + 1}`);
  return 2 * (before + (after - before) * part) - 1;
}

/** Dwell of a vehicle at its last call before it is withdrawn. */
const LAST_STOP_SECONDS = 30;

/**
 * Position of a vehicle: at a call, or on the line's shape between two calls, at constant pace.
 * @param isSkipped whether a call is known to be skipped; a vehicle neither stops there nor reports it as next
 * @param now seconds of the service day
 * @returns null before it is ready at its first call and after it has ended
 */
function locateVehicle(
  datedTrip: PlannedTrip,
  { arrivals, departures }: TripHistory,
  isSkipped: (call: number) => boolean,
  now: number,
): SimulatedVehicle | null {
  if (datedTrip.vehicleId === null || now < arrivals[0]! || now > arrivals.at(-1)! + LAST_STOP_SECONDS) return null;
  const served = datedTrip.times.map((_, call) => call).filter((call) => !isSkipped(call));
  const first = served[0];
  const last = served.at(-1);
  if (first === undefined || last === undefined) return null;
  if (now < arrivals[first]! || now > arrivals[last]! + LAST_STOP_SECONDS) return null;
  const position = served.find((call) => departures[call]! > now) ?? last;
  if (arrivals[position]! <= now) {
    const { lat, lon } = datedTrip.line.stops[position]!;
    return { id: datedTrip.vehicleId, lat, lon, headingDeg: headingAt(datedTrip, position), position, isStopped: true };
  }
  // Includes legs between skipped calls, which also have times.
  const from = Math.max(
    first,
    departures.findLastIndex((departure) => departure <= now),
  );
  const part = (now - departures[from]!) / (arrivals[from + 1]! - departures[from]!);
  return { id: datedTrip.vehicleId, ...pointOnLeg(datedTrip, from, Math.min(1, part)), position, isStopped: false };
}

interface Point {
  readonly lat: number;
  readonly lon: number;
}

function legPoints(datedTrip: PlannedTrip, from: number): readonly (Point & { readonly meters: number })[] {
  const { points, callPoints } = datedTrip.line.timetable.shape;
  return points.slice(callPoints[from]!, callPoints[from + 1]! + 1);
}

function pointOnLeg(datedTrip: PlannedTrip, from: number, part: number): Point & { readonly headingDeg: number } {
  const points = legPoints(datedTrip, from);
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

/** Heading of a stopped vehicle: that of the next leg or, at the last call, of the previous one. */
function headingAt(datedTrip: PlannedTrip, call: number): number {
  const isLast = call === datedTrip.times.length - 1;
  const points = legPoints(datedTrip, isLast ? call - 1 : call);
  return isLast ? headingDegrees(points.at(-2)!, points.at(-1)!) : headingDegrees(points[0]!, points[1]!);
}

/** Degrees clockwise from north, 0 to 359; good enough for the length of a leg. */
function headingDegrees(from: Point, to: Point): number {
  const north = Math.sign(to.lat - from.lat) * distanceMeters(from.lat, from.lon, to.lat, from.lon);
  const east = Math.sign(to.lon - from.lon) * distanceMeters(to.lat, from.lon, to.lat, to.lon);
  return Math.round((Math.atan2(east, north) * 180) / Math.PI + 360) % 360;
}

/** Context of reporting a trip at an instant. */
interface ReportContext {
  /** Seconds of the service day. */
  readonly now: number;
  readonly outages: readonly Outage[];
  readonly seed: number;
}

/** A trip that is running or will run. */
export function reportTrip(
  datedTrip: PlannedTrip,
  history: TripHistory,
  { now, outages, seed }: ReportContext,
): SimulatedTrip {
  const skips = history.skips.filter(({ knownAt }) => knownAt <= now);
  const isSkipped = (call: number) => skips.some(({ firstCall, lastCall }) => call >= firstCall && call <= lastCall);
  const isDataLost = isLost(datedTrip, outages, now);
  return {
    ...nameTrip(datedTrip),
    state: datedTrip.isAdded ? 'added' : 'scheduled',
    isDataLost,
    calls: reportCalls(datedTrip, forecastTrip(datedTrip, history, now, seed), {
      isSkipped,
      platformChanges: history.platformChanges.filter(({ knownAt }) => knownAt <= now),
    }),
    vehicle: isDataLost ? null : locateVehicle(datedTrip, history, isSkipped, now),
  };
}

/** A cancelled trip: reported as planned until the cancellation is known, as cancelled from then on. */
export function reportCancelledTrip(datedTrip: PlannedTrip, { now, outages }: ReportContext): SimulatedTrip {
  const planned: KnownTimes = {
    arrivals: datedTrip.times.map(({ arrivalSeconds }) => datedTrip.startSeconds + arrivalSeconds),
    departures: datedTrip.times.map(({ departureSeconds }) => datedTrip.startSeconds + departureSeconds),
  };
  return {
    ...nameTrip(datedTrip),
    state: datedTrip.cancelledAt! <= now ? 'cancelled' : 'scheduled',
    isDataLost: isLost(datedTrip, outages, now),
    calls: reportCalls(datedTrip, planned, { isSkipped: () => false, platformChanges: [] }),
    vehicle: null,
  };
}

function isLost(datedTrip: PlannedTrip, outages: readonly Outage[], now: number): boolean {
  const { id } = datedTrip.line.timetable.line;
  return (
    datedTrip.isDataLost ||
    outages.some(({ lineId, fromSeconds, toSeconds }) => lineId === id && now >= fromSeconds && now < toSeconds)
  );
}

function nameTrip(datedTrip: PlannedTrip): Omit<SimulatedTrip, 'state' | 'isDataLost' | 'calls' | 'vehicle'> {
  const { line, direction, headsign } = datedTrip.line.timetable;
  return {
    tripId: datedTrip.tripId,
    routeId: line.id,
    directionId: direction,
    startDate: datedTrip.date,
    startTime: datedTrip.startSeconds as ServiceTime,
    lineLabel: line.label,
    product: datedTrip.line.product,
    operatorName: datedTrip.line.operatorName,
    publisher: publisherOf(line),
    isMeasured: isMeasured(line),
    headsign,
    shortName: datedTrip.shortName,
  };
}

interface Changes {
  readonly isSkipped: (call: number) => boolean;
  readonly platformChanges: readonly PlatformChange[];
}

function reportCalls(
  datedTrip: PlannedTrip,
  known: KnownTimes,
  { isSkipped, platformChanges }: Changes,
): SimulatedCall[] {
  const { dayStart, startSeconds, line } = datedTrip;
  return datedTrip.times.map(({ arrivalSeconds, departureSeconds }, i) => {
    const change = platformChanges.find(({ call }) => call === i)?.to ?? null;
    const scheduledPlatform = line.platforms[i]!;
    return {
      stop: line.stops[i]!,
      stopSequence: i + 1,
      scheduledArrival: (dayStart + startSeconds + arrivalSeconds) as Instant,
      scheduledDeparture: (dayStart + startSeconds + departureSeconds) as Instant,
      arrival: (dayStart + known.arrivals[i]!) as Instant,
      departure: (dayStart + known.departures[i]!) as Instant,
      isSkipped: isSkipped(i),
      scheduledPlatform,
      platform: change ? change.platformCode : scheduledPlatform,
      assignedStopId: change ? change.stopId : null,
    };
  });
}
