import { CARRIED, type CallEvent, callEvents, FORECAST, OBSERVED, UNKNOWN } from '../../model/observation.ts';
import { CALL_CANCELLED, callFlags } from '../../snapshots/realtime-contract.ts';
import { type CallMemory, isCancelled, isEventCancelled, isObserved } from './memory.ts';

/** A call as one source reports it at the time of the build. */
export interface SourceCall {
  /** Position of the source in the snapshot. */
  readonly source: number;
  readonly maxAgeSeconds: number;
  readonly call: CallMemory;
}

/** A call as all sources report it, before its times are settled along the trip. */
export interface MergedCall {
  readonly arrival: MergedCallEvent;
  readonly departure: MergedCallEvent;
  /** The source that reports the call best. */
  readonly source: number;
  /** Without those of cancellations. */
  readonly flags: number;
  readonly platform: string | null;
  readonly headsign: string | null;
  /** Occupancy at departure, see `toOccupancyNumber`, and the instant at which it expires. */
  readonly occupancy: number;
  readonly occupancyExpiresAt: number;
}

export interface MergedCallEvent {
  /** 0 where it is unknown. */
  readonly time: number;
  /** Position in `prognoses`. */
  readonly prognosis: number;
  readonly isCancelled: boolean;
  /** The source that it comes from. */
  readonly source: number;
  /** Its source reports calls one by one: the delay is carried to later calls. */
  readonly isCarried: boolean;
  /** When the source last confirmed it. */
  readonly seenAt: number;
  /** Instant after which it is too old to be shown as live; an observation does not expire. */
  readonly expiresAt: number;
}

/** After any instant: past calls do not expire. */
export const NEVER_EXPIRES = 0xffff_ffff;
/** Publishers round to minutes: only a larger difference is a conflict. */
const CONFLICT_SECONDS = 60;

/**
 * Merges what sources report of a call, event by event: better evidence wins, then the fresher. An explicit cancellation
 * ranks above a forecast and below an observation. Values that the best source lacks come from the next best. A
 * conflict between sources is kept as a flag.
 * @param sourceCalls at least one; their order does not matter
 */
export function mergeCall(sourceCalls: readonly SourceCall[], now: number): MergedCall {
  const [first] = sourceCalls;
  if (sourceCalls.length === 1) return toMerged(first!, first!, first!, 0);
  const ranked = [...sourceCalls].sort((a, b) => compare(a, b, weighCall, now));
  const best = ranked[0]!;
  const dispute = isDisputed(sourceCalls, now) ? callFlags.sourceConflict : 0;
  // A call that was observed took place: no other source cancels the rest of it.
  const candidates = isObserved(best.call) ? ranked.filter(({ call }) => !isCancelled(call)) : ranked;
  const choose = (event: CallEvent) =>
    candidates.reduce((a, b) => (compare(a, b, (sourceCall) => weighEvent(sourceCall, event, now), now) <= 0 ? a : b));
  const merged = toMerged(best, choose('arrival'), choose('departure'), dispute);
  if (isCancelled(best.call)) return merged;
  const full = candidates.find((one) => one.call.occupancy > 0 && occupancyExpiry(one) >= now) ?? best;
  return {
    ...merged,
    platform: candidates.find(({ call }) => call.platform !== null)?.call.platform ?? null,
    occupancy: full.call.occupancy,
    occupancyExpiresAt: occupancyExpiry(full),
  };
}

function toMerged(best: SourceCall, arriving: SourceCall, departing: SourceCall, dispute: number): MergedCall {
  return {
    arrival: toEvent(arriving, 'arrival'),
    departure: toEvent(departing, 'departure'),
    source: best.source,
    flags: (best.call.flags & ~CALL_CANCELLED) | dispute,
    platform: best.call.platform,
    headsign: best.call.headsign,
    occupancy: best.call.occupancy,
    occupancyExpiresAt: occupancyExpiry(best),
  };
}

function occupancyExpiry({ call, maxAgeSeconds }: SourceCall): number {
  return call.seenAt + maxAgeSeconds;
}

function toEvent({ source, maxAgeSeconds, call }: SourceCall, name: CallEvent): MergedCallEvent {
  const { time, evidence, isReported } = call[name];
  const isForecast = evidence === FORECAST;
  return {
    time,
    prognosis: isForecast && !isReported ? CARRIED : evidence,
    isCancelled: isEventCancelled(call, name),
    source,
    isCarried: call.isCarried,
    seenAt: call.seenAt,
    expiresAt: isForecast ? expiryOf(call, maxAgeSeconds) : NEVER_EXPIRES,
  };
}

/** When forecasts are too old to be shown as live; a call that was past when last seen never expires. */
function expiryOf({ arrival, departure, seenAt }: CallMemory, maxAgeSeconds: number): number {
  return Math.max(arrival.time, departure.time) <= seenAt ? NEVER_EXPIRES : seenAt + maxAgeSeconds;
}

// ---- Ranking -----------------------------------------------------------------------------------

/** Negative when the first ranks higher. */
function compare(
  a: SourceCall,
  b: SourceCall,
  weigh: (sourceCall: SourceCall, now: number) => number,
  now: number,
): number {
  return weigh(b, now) - weigh(a, now) || b.call.seenAt - a.call.seenAt || a.source - b.source;
}

function weighCall(sourceCall: SourceCall, now: number): number {
  if (isObserved(sourceCall.call)) return 4;
  return Math.max(weighEvent(sourceCall, 'arrival', now), weighEvent(sourceCall, 'departure', now));
}

function weighEvent({ call, maxAgeSeconds }: SourceCall, event: CallEvent, now: number): number {
  const { evidence } = call[event];
  if (evidence === OBSERVED) return 4;
  if (isEventCancelled(call, event)) return 3;
  if (evidence === UNKNOWN) return 0;
  return expiryOf(call, maxAgeSeconds) < now ? 1 : 2;
}

function isDisputed(sourceCalls: readonly SourceCall[], now: number): boolean {
  const current = sourceCalls.filter((sourceCall) => weighCall(sourceCall, now) >= 2).map(({ call }) => call);
  if (current.some(isCancelled) && !current.every(isCancelled)) return true;
  return callEvents.some((event) => {
    const times = current.flatMap((call) => (call[event].evidence >= FORECAST ? [call[event].time] : []));
    return Math.max(...times) - Math.min(...times) > CONFLICT_SECONDS;
  });
}
