import { FORECAST, OBSERVED, UNKNOWN } from '../../model/observation.ts';
import { callFlags } from '../snapshot/realtime-contract.ts';
import { type CallEvent, type CallMemory, callEvents, isCancelled, isObserved } from './memory.ts';

/** One source's word on a call, as it stands at the moment of the build. */
export interface Witness {
  /** Position of the source in the snapshot. */
  readonly source: number;
  readonly maxAgeSeconds: number;
  readonly call: CallMemory;
}

/** The one truth per call that the snapshot holds. */
export interface MergedCall {
  readonly arrival: number;
  readonly departure: number;
  readonly arrivalEvidence: number;
  readonly departureEvidence: number;
  readonly source: number;
  readonly flags: number;
  readonly platform: string | null;
  readonly expiresAt: number;
}

/** Beyond any moment: what is over does not grow old. */
export const NEVER_EXPIRES = 0xffff_ffff;
/** Publishers round to minutes: only what is further apart is a disagreement. */
const CONFLICT_SECONDS = 60;

/**
 * Chooses among sources: better evidence wins, then the fresher. An explicit cancellation counts more than a forecast
 * and less than an observation. What the best one does not know the next best may. That sources disagree is kept as a
 * flag.
 * @param witnesses at least one; their order does not matter
 */
export function mergeCall(witnesses: readonly Witness[], now: number): MergedCall {
  const [first] = witnesses;
  if (witnesses.length === 1) return toMerged(first!, first!, first!, 0);
  const ranked = [...witnesses].sort((a, b) => compare(a, b, weighCall, now));
  const best = ranked[0]!;
  const dispute = isDisputed(witnesses, now) ? callFlags.sourceConflict : 0;
  if (isCancelled(best.call)) return toMerged(best, best, best, dispute);
  const running = ranked.filter(({ call }) => !isCancelled(call));
  const choose = (event: CallEvent) =>
    running.reduce((a, b) => (compare(a, b, (witness) => weighEvent(witness, event, now), now) <= 0 ? a : b));
  const merged = toMerged(best, choose('arrival'), choose('departure'), dispute);
  return { ...merged, platform: running.find(({ call }) => call.platform !== null)?.call.platform ?? null };
}

function toMerged(best: Witness, arriving: Witness, departing: Witness, dispute: number): MergedCall {
  const { arrival } = arriving.call;
  const { departure } = departing.call;
  return {
    arrival: arrival.time,
    departure: departure.time,
    arrivalEvidence: arrival.evidence,
    departureEvidence: departure.evidence,
    source: best.source,
    flags: best.call.flags | dispute,
    platform: best.call.platform,
    expiresAt: Math.min(expiryOfEvent(arriving, 'arrival'), expiryOfEvent(departing, 'departure')),
  };
}

/** An observation stands for good, and where nothing is known nothing grows old. */
function expiryOfEvent({ call, maxAgeSeconds }: Witness, event: CallEvent): number {
  return call[event].evidence === FORECAST ? expiryOf(call, maxAgeSeconds) : NEVER_EXPIRES;
}

/** When its forecasts are too old to be shown as live; what was over when it was last seen is over for good. */
function expiryOf({ arrival, departure, seenAt }: CallMemory, maxAgeSeconds: number): number {
  return Math.max(arrival.time, departure.time) <= seenAt ? NEVER_EXPIRES : seenAt + maxAgeSeconds;
}

// ---- Who knows best ----------------------------------------------------------------------------

/** Negative where the first knows better. */
function compare(a: Witness, b: Witness, weigh: (witness: Witness, now: number) => number, now: number): number {
  return weigh(b, now) - weigh(a, now) || b.call.seenAt - a.call.seenAt || a.source - b.source;
}

function weighCall(witness: Witness, now: number): number {
  const { call } = witness;
  if (isObserved(call)) return 4;
  if (isCancelled(call)) return 3;
  return Math.max(weighEvent(witness, 'arrival', now), weighEvent(witness, 'departure', now));
}

function weighEvent({ call, maxAgeSeconds }: Witness, event: CallEvent, now: number): number {
  const { evidence } = call[event];
  if (evidence === OBSERVED) return 4;
  if (evidence === UNKNOWN) return 0;
  return expiryOf(call, maxAgeSeconds) < now ? 1 : 2;
}

function isDisputed(witnesses: readonly Witness[], now: number): boolean {
  const telling = witnesses.filter((witness) => weighCall(witness, now) >= 2).map(({ call }) => call);
  if (telling.some(isCancelled) && !telling.every(isCancelled)) return true;
  return callEvents.some((event) => {
    const times = telling.flatMap((call) => (call[event].evidence >= FORECAST ? [call[event].time] : []));
    return Math.max(...times) - Math.min(...times) > CONFLICT_SECONDS;
  });
}
