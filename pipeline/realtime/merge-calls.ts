import { callFlags } from '../snapshots/realtime-contract.ts';
import { type CallMemory, FORECAST, OBSERVED, UNKNOWN } from './memory.ts';

/** One source's word on a call, as it stands at the moment of the build. */
export interface Witness {
  /** Position of the source in the snapshot. */
  readonly source: number;
  readonly maxAgeSeconds: number;
  readonly call: CallMemory;
}

/** The one truth per call that the snapshot holds. */
export interface MergedCall {
  arrival: number;
  departure: number;
  arrivalEvidence: number;
  departureEvidence: number;
  source: number;
  flags: number;
  platform: string | null;
  expiresAt: number;
}

/** Beyond any moment: what is over does not grow old. */
export const NEVER = 0xffff_ffff;
/** Publishers round to minutes: only what is further apart is a disagreement. */
const CONFLICT_SECONDS = 60;

/**
 * Chooses among sources: better evidence wins, then the fresher. An explicit cancellation counts more than a forecast
 * and less than an observation. That sources disagree is kept as a flag.
 * @param witnesses at least one
 */
export function mergeCall(witnesses: readonly Witness[], now: number): MergedCall {
  const [first] = witnesses;
  if (witnesses.length === 1) return toMerged(first!, 0);
  let best = first!;
  for (const witness of witnesses) if (compareWitnesses(witness, best, now) > 0) best = witness;
  return toMerged(best, isDisputed(witnesses, now) ? callFlags.sourceConflict : 0);
}

function toMerged({ call, source, maxAgeSeconds }: Witness, flags: number): MergedCall {
  return {
    arrival: call.arrival,
    departure: call.departure,
    arrivalEvidence: call.arrivalEvidence,
    departureEvidence: call.departureEvidence,
    source,
    flags: call.flags | flags,
    platform: call.platform,
    expiresAt: expiryOf(call, maxAgeSeconds),
  };
}

/** When its forecasts are too old to be shown as live; what was over when it was last seen is over for good. */
export function expiryOf(call: CallMemory, maxAgeSeconds: number): number {
  return Math.max(call.arrival, call.departure) <= call.seenAt ? NEVER : call.seenAt + maxAgeSeconds;
}

function compareWitnesses(a: Witness, b: Witness, now: number): number {
  return weigh(a, now) - weigh(b, now) || a.call.seenAt - b.call.seenAt || b.source - a.source;
}

function weigh({ call, maxAgeSeconds }: Witness, now: number): number {
  const evidence = Math.max(call.arrivalEvidence, call.departureEvidence);
  if (evidence === OBSERVED) return 4;
  if ((call.flags & callFlags.cancelled) !== 0) return 3;
  if (evidence === UNKNOWN) return 0;
  return expiryOf(call, maxAgeSeconds) < now ? 1 : 2;
}

function isDisputed(witnesses: readonly Witness[], now: number): boolean {
  const telling = witnesses.filter((witness) => weigh(witness, now) >= 2);
  const [one, ...others] = telling;
  return others.some(({ call }) => differ(one!.call, call));
}

function differ(a: CallMemory, b: CallMemory): boolean {
  if (((a.flags ^ b.flags) & callFlags.cancelled) !== 0) return true;
  return areApart(a, b, 'arrival') || areApart(a, b, 'departure');
}

function areApart(a: CallMemory, b: CallMemory, event: 'arrival' | 'departure'): boolean {
  if (a[`${event}Evidence`] < FORECAST || b[`${event}Evidence`] < FORECAST) return false;
  return Math.abs(a[event] - b[event]) > CONFLICT_SECONDS;
}
