import { type DelayQuantiles, findIndependentChance } from '../../../pipeline/model/delay-distribution.ts';
import { OBSERVED, UNKNOWN } from '../../../pipeline/model/observation.ts';
import { type Instant, localSecondOfDay } from '../../../pipeline/model/service-time.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { hourOf } from '../../../pipeline/snapshots/transfer-model/past-delays.ts';
import type { TransferSide } from '../../../pipeline/snapshots/transfer-model/transfer-facts.ts';
import { estimateTransfer, type TransferEstimate } from '../../../pipeline/snapshots/transfer-model/transfer-model.ts';
import {
  complementUnobserved,
  findProgress,
  type TripTimes,
  toTransferSide,
} from '../../../pipeline/snapshots/transfer-model/trip-progress.ts';
import { findLiveTrip, type Published, type Realtime } from '../read/realtime.ts';
import { getZone } from '../read/timetable.ts';

/** A call of a dated trip of the timetable. */
interface DatedCall {
  readonly trip: number;
  readonly day: number;
  readonly position: number;
}

/** An arrival or a departure with its forecast. */
export interface ExpectedCallEvent {
  /** Planned time and expected time. */
  readonly scheduled: number;
  readonly expected: number;
  /** null: without a distribution, it takes place at the expected time. */
  readonly delay: DelayQuantiles | null;
  /** null for a traveller on foot, and for an added trip. */
  readonly at: DatedCall | null;
}

/**
 * Estimates whether a traveller who arrives with one vehicle and needs some seconds catches another; null where nothing
 * is known of either.
 * @param neededSeconds of the walk between the two: the published minimum of a transfer only serves planning
 */
type EstimateTransfer = (
  arrival: ExpectedCallEvent,
  departure: ExpectedCallEvent,
  neededSeconds: number,
) => TransferEstimate | null;

/** What has to fit between two vehicles: the walk, or the published minimum where that is less. */
export function findNeededSeconds(walkSeconds: number, minTransferSeconds: number): number {
  return Math.min(walkSeconds, minTransferSeconds);
}

/**
 * Estimates by the model of the source that observes the two vehicles. Without one, as between vehicles of two sources,
 * their forecasts are assumed to be independent.
 * @param instant decides what is known
 */
export function startTransferEstimates(published: Published, instant: Instant): EstimateTransfer {
  const { realtime } = published;
  const estimate =
    realtime && realtime.transferModels.size > 0 ? openLearnt({ ...published, realtime }, instant) : null;
  return (arrival, departure, neededSeconds) => {
    const learnt = estimate?.(arrival, departure, neededSeconds);
    if (learnt) return learnt;
    const probability = findTransferChance(arrival, departure, neededSeconds);
    return probability === null ? null : { probability, sampleSize: 0, from: 'live' };
  };
}

/**
 * Probability that a traveller who arrives with one vehicle and needs some seconds catches another, which leaves no
 * earlier than planned, if the two forecasts are independent.
 * @returns 0 to 1; null without a forecast for either
 */
export function findTransferChance(
  arrival: ExpectedCallEvent,
  departure: ExpectedCallEvent,
  neededSeconds: number,
): number | null {
  if (!arrival.delay && !departure.delay) return null;
  const arrives = arrival.delay ? arrival.scheduled : arrival.expected;
  const leaves = departure.delay ? departure.scheduled : departure.expected;
  const spare = leaves - arrives - neededSeconds;
  return findIndependentChance(arrival.delay ?? 0, departure.delay ?? 0, spare);
}

// ---- By the learnt model -----------------------------------------------------------------------

interface LivePublished extends Published {
  readonly realtime: Realtime;
}

/** What is known of an event is looked up once: searches compare many transfers between the same vehicles. */
function openLearnt(published: LivePublished, instant: Instant): EstimateTransfer {
  const known = new Map<ExpectedCallEvent, KnownSide | null>();
  const findPast = openHistory(published);
  const lookUp = (event: ExpectedCallEvent, isDeparture: boolean) => {
    const before = known.get(event);
    if (before !== undefined) return before;
    const side = event.at && describeSide(published, event, event.at, { isDeparture, instant }, findPast);
    known.set(event, side);
    return side;
  };
  return (arrival, departure, neededSeconds) => {
    const [arriving, leaving] = [lookUp(arrival, false), lookUp(departure, true)];
    const model = arriving && leaving && findModel(published.realtime, arriving, leaving);
    if (!model) return null;
    return estimateTransfer(model, {
      plannedSeconds: departure.scheduled - arrival.scheduled,
      neededSeconds,
      secondsToArrival: arrival.scheduled - instant,
      hour: hourOf(arriving.secondOfDay),
      dwellSeconds: leaving.dwellSeconds,
      arrival: arriving.side,
      departure: leaving.side,
    });
  };
}

/**
 * The model of the one source that has observed them. Where neither was observed yet, that of the source whose past
 * days are known, or that reports it, of the arrival before the departure.
 */
function findModel({ transferModels }: Realtime, one: KnownSide, other: KnownSide) {
  if (one.source >= 0 && other.source >= 0 && one.source !== other.source) return null;
  const observed = Math.max(one.source, other.source);
  const sources = observed >= 0 ? [observed] : [one.unobservedSource, other.unobservedSource];
  for (const source of sources) {
    const model = transferModels.get(source);
    if (model) return model;
  }
  return null;
}

// ---- Past days ---------------------------------------------------------------------------------

interface PastSide {
  readonly delay: DelayQuantiles;
  /** Whose model has them. */
  readonly source: number;
}

type FindPastSide = (at: DatedCall, isDeparture: boolean, secondOfDay: number) => PastSide | null;

/** Delays of past days at a call, of the first source whose model knows its line. */
function openHistory({ timetable, realtime }: LivePublished): FindPastSide {
  const { trips, patterns, patternCalls, routes, stops } = timetable.tables;
  return (at, isDeparture, secondOfDay) => {
    const pattern = trips.pattern[at.trip]!;
    const route = routes.routeId.get(patterns.route[pattern]!);
    const stop = stops.stopId.get(patternCalls.stop[patterns.firstCall[pattern]! + at.position]!);
    for (const [source, find] of realtime.pastDelays) {
      const delay = find({ route, stop, isDeparture, secondOfDay });
      if (delay) return { delay, source };
    }
    return null;
  };
}

/** A trip, with the times that were observed. */
interface Vehicle extends TripTimes {
  /** Source of what is reported at a call. */
  source(position: number): number;
  /** Whether its time there is reported now. */
  isReported(position: number, isDeparture: boolean): boolean;
}

function openVehicle({ timetable, realtime }: LivePublished, { trip, day }: DatedCall, instant: Instant): Vehicle {
  const { trips, times } = timetable.tables;
  const { calls, trips: liveTrips } = realtime.tables;
  const pattern = trips.pattern[trip]!;
  const start = getZone(timetable, pattern).startOf(day);
  const row = getTimeRow(timetable.tables, pattern, trip);
  const live = findLiveTrip(realtime, trip, day);
  const first = live < 0 ? -1 : liveTrips.firstCall[live]!;
  return {
    scheduledArrival: (position) => start + times.arrival[row + position]!,
    scheduledDeparture: (position) => start + times.departure[row + position]!,
    arrival: (position) =>
      first >= 0 && calls.arrivalPrognosis[first + position] === OBSERVED
        ? calls.arrival[first + position]!
        : Number.NaN,
    departure: (position) =>
      first >= 0 && calls.departurePrognosis[first + position] === OBSERVED
        ? calls.departure[first + position]!
        : Number.NaN,
    source: (position) => calls.source[first + position]!,
    isReported: (position, isDeparture) =>
      first >= 0 &&
      calls[isDeparture ? 'departurePrognosis' : 'arrivalPrognosis'][first + position] !== UNKNOWN &&
      calls.expiresAt[first + position]! >= instant,
  };
}

/** What is known of a vehicle before an event. */
interface KnownSide {
  readonly side: TransferSide;
  /** That has observed it; -1 where none has. */
  readonly source: number;
  /** Of a vehicle that was not observed: whose model knows its past days, else who reports it; -1 without either. */
  readonly unobservedSource: number;
  /** Planned dwell there; null where its trip begins. */
  readonly dwellSeconds: number | null;
  /** Planned, by the clock where the vehicle runs. */
  readonly secondOfDay: number;
}

function describeSide(
  published: LivePublished,
  event: ExpectedCallEvent,
  at: DatedCall,
  { isDeparture, instant }: { readonly isDeparture: boolean; readonly instant: Instant },
  findPast: FindPastSide,
): KnownSide {
  const call = at.position;
  const vehicle = openVehicle(published, at, instant);
  const { last, overdueSeconds } = findProgress(vehicle, { first: 0, call, isDeparture }, instant);
  const side = toTransferSide({ last, overdueSeconds }, call, () => event.delay);
  const dwellSeconds = call === 0 ? null : vehicle.scheduledDeparture(call) - vehicle.scheduledArrival(call);
  const { name } = getZone(published.timetable, published.timetable.tables.trips.pattern[at.trip]!);
  const secondOfDay = localSecondOfDay(event.scheduled as Instant, name);
  if (last) return { side, source: vehicle.source(last.call), unobservedSource: -1, dwellSeconds, secondOfDay };
  const past = findPast(at, isDeparture, secondOfDay);
  const reportedSeconds = event.expected - event.scheduled;
  const isPublished = vehicle.isReported(call, isDeparture);
  const isReported = isPublished || reportedSeconds !== 0;
  return {
    side: complementUnobserved(side, isReported ? reportedSeconds : null, past?.delay ?? null),
    source: -1,
    unobservedSource: past?.source ?? (isPublished ? vehicle.source(call) : -1),
    dwellSeconds,
    secondOfDay,
  };
}
