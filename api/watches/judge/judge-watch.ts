import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { LegMemory, LineSpec, NewEvent, TripSpec, WatchMemory, WatchStatus } from '../watch.ts';
import type { EventTexts } from './event-texts.ts';
import { judgeDisruptions } from './judge-disruptions.ts';
import { judgeLeg, type LegVerdict } from './judge-leg.ts';
import type { SeenDisruption, SeenTrip } from './seen.ts';
import { textsOf } from './texts-by-language.ts';

/** A trip ends this long after its last arrival, since late reports still count. */
export const ENDED_AFTER_SECONDS = 300;

/** The events of a watch, and when it must be evaluated again even if nothing new is reported. */
export interface WatchVerdict {
  readonly memory: WatchMemory;
  /** In the order in which they are emitted. */
  readonly events: readonly NewEvent[];
  readonly recheckAt: Instant | null;
}

/** Events after which a rescue watch looks for options while its trip is broken: a growing delay changes them. */
const OPTION_KINDS: readonly NewEvent['kind'][] = ['cancelled', 'transferAtRisk', 'transferMissed', 'delay'];
const BROKEN_STATES: readonly WatchStatus[] = ['cancelled', 'missed', 'atRisk'];

/**
 * Judges a watched trip: legs in travel order, then disruptions.
 * @param seen null if a leg is no longer in the snapshots: then nothing is emitted
 */
export function judgeTripWatch(
  spec: Pick<TripSpec, 'kind' | 'minDelayMinutes' | 'language'>,
  before: WatchMemory,
  seen: SeenTrip | null,
  instant: Instant,
): WatchVerdict {
  if (before.status === 'ended') return { memory: before, events: [], recheckAt: null };
  if (!seen) return { memory: { ...before, status: 'unknown' }, events: [], recheckAt: null };
  const endsAt = findEnd(seen);
  const texts = textsOf(spec);
  if (instant >= endsAt) return end(before, texts);
  const context = { texts, minDelayMinutes: spec.minDelayMinutes, instant, polledAt: seen.polledAt };
  const legs = seen.legs.map((leg) => judgeLeg(before.legs[leg.leg] ?? null, leg, context));
  const disrupted = seen.disruptions && judgeDisruptions(before.disruptions, seen.disruptions, instant, texts);
  const events = [...legs.flatMap((leg) => leg.events), ...(disrupted?.events ?? [])];
  const emitted = {
    legs: remember(before.legs, seen, legs),
    disruptions: disrupted?.disruptions ?? before.disruptions,
  };
  const status = findStatus(seen, emitted);
  const optionsDue = spec.kind === 'rescue' ? findOptionsDue(before, events, status, instant) : null;
  return {
    memory: { status, ...emitted, optionsDue },
    events,
    recheckAt: earliest([endsAt, disrupted?.recheckAt ?? null, ...legs.map((leg) => leg.recheckAt)]),
  };
}

/** By leg; one that is ridden on board of the vehicle of another has an empty memory. */
function remember(before: readonly LegMemory[], seen: SeenTrip, verdicts: readonly LegVerdict[]): LegMemory[] {
  const legs = [...before];
  for (const [i, { leg }] of seen.legs.entries()) {
    while (legs.length < leg) legs.push({});
    legs[leg] = verdicts[i]!.memory;
  }
  return legs;
}

/** The instant after which the trip has no more events. */
function findEnd({ legs }: SeenTrip): Instant {
  const { scheduled, expected } = legs.at(-1)!.arrival;
  return (Math.max(scheduled, expected) + ENDED_AFTER_SECONDS) as Instant;
}

function end(before: WatchMemory, texts: EventTexts): WatchVerdict {
  return {
    memory: { ...before, status: 'ended', disruptions: {}, optionsDue: null },
    events: [{ kind: 'ended', text: texts.ended() }],
    recheckAt: null,
  };
}

function findStatus(
  { state }: SeenTrip,
  { legs, disruptions }: Pick<WatchMemory, 'legs' | 'disruptions'>,
): WatchStatus {
  if (state !== 'cancelled' && legs.some(({ leftBehind }) => leftBehind)) return 'missed';
  if (state !== 'onTrack' && state !== 'unknown') return state;
  if (legs.some(({ delay }) => (delay?.value ?? 0) !== 0)) return 'delayed';
  const isDisrupted = Object.keys(disruptions).length > 0 || legs.some(({ skipped }) => (skipped?.value ?? '') !== '');
  return isDisrupted ? 'disrupted' : state;
}

/** Options are looked for when the trip breaks or what broke it changes, and no longer when it works out again. */
function findOptionsDue(
  { optionsDue }: WatchMemory,
  events: readonly NewEvent[],
  status: WatchStatus,
  instant: Instant,
): Instant | null {
  if (!BROKEN_STATES.includes(status)) return null;
  return events.some(({ kind }) => OPTION_KINDS.includes(kind)) ? instant : optionsDue;
}

/**
 * Judges watched lines: their disruptions alone.
 * @param seen null without realtime: then nothing is known
 */
export function judgeLineWatch(
  spec: Pick<LineSpec, 'kind' | 'language'>,
  before: WatchMemory,
  seen: readonly SeenDisruption[] | null,
  instant: Instant,
): WatchVerdict {
  if (!seen) return { memory: { ...before, status: 'unknown' }, events: [], recheckAt: null };
  const { disruptions, events, recheckAt } = judgeDisruptions(before.disruptions, seen, instant, textsOf(spec));
  const status = Object.keys(disruptions).length > 0 ? 'disrupted' : 'onTrack';
  return { memory: { ...before, status, disruptions }, events, recheckAt };
}

/** The earliest of some instants; `null` if there is none. */
export function earliest(instants: readonly (Instant | null)[]): Instant | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? null : (Math.min(...known) as Instant);
}
