import {
  type CallSighting,
  evidences,
  FORECAST,
  OBSERVED,
  SIGHTING_OPEN_SECONDS,
  UNKNOWN,
} from '../../model/observation.ts';
import type { Instant } from '../../model/service-time.ts';
import { callFlags } from '../snapshot/realtime-contract.ts';
import {
  type CallEvent,
  type CallMemory,
  callEvents,
  type DatedName,
  type EmittedTrip,
  isCancelled,
  nameDated,
  type SourceMemory,
} from './memory.ts';
import type { RunPlan } from './planned-calls.ts';

/** A dated trip of which sightings are told. */
export interface EmittedRun extends DatedName {
  readonly plan: RunPlan;
  /** In travel order. */
  readonly calls: readonly (CallMemory | undefined)[];
  readonly recordedAt: number;
  /** The position that names a call of `calls` in sightings. */
  position(index: number): number;
  stopId(index: number): string;
  /** Asked for when there is something to tell. */
  describe(): Pick<CallSighting, 'tripId' | 'routeId' | 'lineLabel'>;
}

/** Whether the answer at hand speaks of an event of a call of `EmittedRun.calls`. */
export type ReportedEvents = (index: number, event: CallEvent, call: CallMemory) => boolean;

/**
 * Tells what a source's stop events say of a dated trip now and did not say before: times of its own word, what is
 * cancelled, and that what was told is taken back. Times that follow from other calls are no sightings.
 */
export function emitStopEvents(
  source: SourceMemory,
  run: EmittedRun,
  isReported: ReportedEvents,
  seenAt: number,
): CallSighting[] {
  const telling = startEmitting(source, run, 'stop_events', seenAt);
  run.calls.forEach((call, index) => {
    if (!call) return;
    const position = run.position(index);
    for (const event of callEvents) {
      const last = readState(telling.told, numberEvent(position, event, 'stop_events'));
      const word =
        (isReported(index, event, call) && readWord(run.plan, call, index, event)) || readTakenBack(call, last);
      if (word) tell(telling, index, event, word);
    }
  });
  return telling.news;
}

/** Tells that a vehicle was seen at a call. */
export function emitSeen(
  source: SourceMemory,
  run: EmittedRun,
  { position, event, time }: { readonly position: number; readonly event: CallEvent; readonly time: Instant },
  seenAt: number,
): CallSighting[] {
  const telling = startEmitting(source, run, 'positions', seenAt);
  tell(telling, position, event, { time, state: OBSERVED, platform: null });
  return telling.news;
}

/** A sighting that the lake holds as the newest of its key. */
export function rememberEmitted(source: SourceMemory, sighting: CallSighting, seenAt: number): void {
  const {
    tripKey: key,
    day,
    position,
    event,
    channel,
    scheduledTime,
    time,
    evidence,
    isCancelled,
    platform,
  } = sighting;
  const word = { time: time ?? 0, state: isCancelled ? CANCELLED : evidences.indexOf(evidence), platform };
  keepWord(getEmitted(source, { key, day }), numberEvent(position, event, channel), scheduledTime ?? 0, word, seenAt);
}

// ---- What there is to say ----------------------------------------------------------------------

/** What is told of one event. */
interface Word {
  readonly time: number;
  /** Position in `evidences`, or `CANCELLED`; `UNKNOWN` also where nothing was ever emitted. */
  readonly state: number;
  readonly platform: string | null;
}

const CANCELLED = evidences.length;

const cancelled: Word = { time: 0, state: CANCELLED, platform: null };
const unknown: Word = { time: 0, state: UNKNOWN, platform: null };

/** @returns null where the source says nothing of the event itself */
function readWord(plan: RunPlan, call: CallMemory, index: number, event: CallEvent): Word | null {
  if (isCancelled(call)) return isNoEvent(plan, index, event) ? null : cancelled;
  const { time, evidence, isSaid } = call[event];
  return isSaid ? { time, state: evidence, platform: call.platform } : null;
}

/**
 * A cancellation that was told must not stand when it is lifted, nor a forecast when nothing is known any more.
 * @param last state of what was told before
 * @returns null where that still stands
 */
function readTakenBack(call: CallMemory, last: number): Word | null {
  const isLifted = last === CANCELLED && !isCancelled(call);
  const isUnknown = last === FORECAST && (call.flags & callFlags.noData) !== 0;
  return isLifted || isUnknown ? unknown : null;
}

/** Nobody arrives where a trip begins, nor leaves where it ends. */
export function isNoEvent({ callCount }: RunPlan, index: number, event: CallEvent): boolean {
  return event === 'arrival' ? index === 0 : index === callCount - 1;
}

// ---- Telling -----------------------------------------------------------------------------------

interface Telling {
  readonly run: EmittedRun;
  readonly told: EmittedTrip;
  readonly channel: CallSighting['channel'];
  readonly seenAt: number;
  readonly news: CallSighting[];
  /** Texts are decoded when they are wanted, and once. */
  described: ReturnType<EmittedRun['describe']> | null;
}

function startEmitting(
  source: SourceMemory,
  run: EmittedRun,
  channel: CallSighting['channel'],
  seenAt: number,
): Telling {
  return { run, told: getEmitted(source, run), channel, seenAt, news: [], described: null };
}

function tell(telling: Telling, index: number, event: CallEvent, word: Word): void {
  const { run, told, channel, seenAt } = telling;
  const position = run.position(index);
  const scheduled = run.plan.at(index, event);
  if (!keepWord(told, numberEvent(position, event, channel), scheduled, word, seenAt)) return;
  telling.described ??= run.describe();
  const { tripId, routeId, lineLabel } = telling.described;
  const isCancellation = word.state === CANCELLED;
  telling.news.push({
    tripKey: run.key,
    day: run.day,
    tripId,
    routeId,
    lineLabel,
    position,
    stopId: run.stopId(index),
    event,
    channel,
    scheduledTime: toInstant(scheduled),
    time: toInstant(word.time),
    evidence: isCancellation ? 'unknown' : evidences[word.state]!,
    isCancelled: isCancellation,
    platform: word.platform,
    recordedAt: toInstant(run.recordedAt),
  });
}

function toInstant(seconds: number): Instant | null {
  return seconds === 0 ? null : (seconds as Instant);
}

// ---- What was told -----------------------------------------------------------------------------

function getEmitted({ told }: SourceMemory, { key, day }: DatedName): EmittedTrip {
  const name = nameDated({ key, day });
  const known = told.get(name);
  if (known) return known;
  const made: EmittedTrip = { key, day, words: new Uint32Array(0), platforms: new Map(), until: 0 };
  told.set(name, made);
  return made;
}

/** @returns whether it is another word than before */
function keepWord(
  told: EmittedTrip,
  number: number,
  scheduled: number,
  { time, state, platform }: Word,
  seenAt: number,
): boolean {
  const at = number * WIDTH;
  if (at >= told.words.length) told.words = grow(told.words, number);
  const { words, platforms } = told;
  const isSame = words[at] === scheduled && words[at + 1] === time && words[at + 2] === state;
  if (isSame && (platforms.get(number) ?? null) === platform) return false;
  words[at] = scheduled;
  words[at + 1] = time;
  words[at + 2] = state;
  if (platform === null) platforms.delete(number);
  else platforms.set(number, platform);
  told.until = Math.max(told.until, SIGHTING_OPEN_SECONDS + Math.max(scheduled, time, seenAt));
  return true;
}

/** Numbers of one event: scheduled, time, state. */
const WIDTH = 3;
const EVENTS_PER_CALL = 4;

function numberEvent(position: number, event: CallEvent, channel: CallSighting['channel']): number {
  return position * EVENTS_PER_CALL + (channel === 'positions' ? 2 : 0) + (event === 'departure' ? 1 : 0);
}

function readState({ words }: EmittedTrip, number: number): number {
  return words[number * WIDTH + 2] ?? UNKNOWN;
}

/** Room for this event, and for some calls after it. */
function grow(words: Uint32Array, number: number): Uint32Array {
  const grown = new Uint32Array((number + 8 * EVENTS_PER_CALL) * WIDTH);
  grown.set(words);
  return grown;
}
