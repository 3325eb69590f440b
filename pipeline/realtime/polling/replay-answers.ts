import { type Clock, nowInstant } from '../../effects/clock.ts';
import type { Log } from '../../effects/log.ts';
import type { StoredRawAnswer } from '../../lake/raw-answer-index.ts';
import type { SourceId } from '../../model/ids.ts';
import { type Instant, parseTimestamp } from '../../model/service-time.ts';
import type { PolledSource } from './open-sources.ts';
import { type AppliedAnswer, applyAnswerBytes, attemptCode, type PollAttempt, toFailure } from './poll-once.ts';
import type { PolledSourceState, RealtimeSink } from './realtime-sink.ts';
import { listAllRequests } from './source-record.ts';

/** Recorded answers and their bytes. */
interface Recordings {
  /** In fetch order. */
  list(source: SourceId): Promise<readonly StoredRawAnswer[]>;
  read(rawId: string): Promise<Uint8Array>;
}

interface ReplayRequest {
  readonly sources: readonly PolledSource[];
  readonly recordings: Recordings;
  readonly sink: RealtimeSink;
  readonly effects: {
    readonly clock: Clock;
    readonly log: Log;
    /** @throws the signal's reason when it aborts during the sleep */
    sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  };
  readonly signal: AbortSignal;
}

/** A 304 confirmed the answer before; a replay that starts after that one parses the stored bytes instead. */
const NOT_MODIFIED = 304;
/** Minimum time between two snapshots, on the replayed clock. */
const PUBLISH_GAP_SECONDS = 5;
/** Longest single sleep, on the replayed clock. */
const MAX_REPLAY_SLEEP_MILLISECONDS = 5000;

/**
 * Applies each stored answer when the clock reaches its fetch time, as the poller did: a snapshot contains nothing that
 * was fetched later. Answers fetched before the clock's start are applied at once.
 * @returns number of attempts by outcome, when the recordings end or the signal aborts
 */
export async function replayAnswers(request: ReplayRequest): Promise<ReadonlyMap<string, number>> {
  const { effects, signal, sink } = request;
  const tracks = await Promise.all(request.sources.map((polled) => openTrack(polled, request.recordings)));
  const outcomes = new Map<string, number>();
  let publishedAt = 0;
  let isPublished = true;
  const publish = async () => {
    await sink.publish(tracks.map(describeTrack), nowInstant(effects.clock));
    publishedAt = nowInstant(effects.clock);
    isPublished = true;
  };
  while (!signal.aborted) {
    const now = nowInstant(effects.clock);
    const track = findEarliest(tracks);
    if (!track) break;
    const due = fetchedAtOf(track.answers[track.next]!);
    if (due <= now) {
      const name = await playNext(track, request);
      outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
      isPublished = false;
      continue;
    }
    // All answers so far are applied: publish, then wait for the next one.
    if (!isPublished && now - publishedAt >= PUBLISH_GAP_SECONDS) await publish();
    await pause(Math.min((due - now) * 1000, MAX_REPLAY_SLEEP_MILLISECONDS), request);
  }
  if (!isPublished) await publish();
  return outcomes;
}

/** The answers of one source and the replay position. */
interface Track {
  readonly polled: PolledSource;
  readonly answers: readonly StoredRawAnswer[];
  next: number;
  readonly applied: Map<string, AppliedAnswer>;
  readonly attempts: Map<string, number>;
  lastSuccessAt: Instant | null;
  lastAttemptAt: Instant | null;
  readonly requestedParts: Set<string>;
  trouble: string | null;
}

async function openTrack(polled: PolledSource, recordings: Recordings): Promise<Track> {
  const answers = await recordings.list(polled.id);
  return {
    polled,
    answers,
    next: 0,
    applied: new Map(),
    attempts: new Map(),
    lastSuccessAt: null,
    lastAttemptAt: null,
    requestedParts: new Set(),
    trouble: null,
  };
}

function fetchedAtOf({ fetchedAt }: StoredRawAnswer): Instant {
  // Written by our own store.
  return parseTimestamp(fetchedAt)!;
}

function findEarliest(tracks: readonly Track[]): Track | null {
  let earliest: Track | null = null;
  for (const track of tracks) {
    const answer = track.answers[track.next];
    if (!answer) continue;
    if (!earliest || fetchedAtOf(answer) < fetchedAtOf(earliest.answers[earliest.next]!)) earliest = track;
  }
  return earliest;
}

async function playNext(track: Track, request: ReplayRequest): Promise<string> {
  const answer = track.answers[track.next]!;
  track.next += 1;
  const attempt = await applyRecorded(track, answer, request);
  const fetchedAt = fetchedAtOf(answer);
  const { name, trouble } = attemptCode(attempt);
  track.attempts.set(name, (track.attempts.get(name) ?? 0) + 1);
  track.lastAttemptAt = fetchedAt;
  track.requestedParts.add(answer.part);
  track.trouble = trouble;
  if (attempt.kind === 'applied') {
    track.applied.set(answer.part, attempt.answer);
    if (attempt.trouble !== 'frozen') track.lastSuccessAt = fetchedAt;
  }
  return name;
}

async function applyRecorded(
  { polled, applied }: Track,
  answer: StoredRawAnswer,
  request: ReplayRequest,
): Promise<PollAttempt> {
  const fetchedAt = fetchedAtOf(answer);
  const requests = listAllRequests(polled.source, applied.values(), fetchedAt);
  const requested = requests.find(({ part }) => part === answer.part);
  if (!requested) {
    const sentence = `${polled.id} no longer requests ${answer.part}`;
    return { kind: 'failed', code: 'part_not_configured', sentence, retryAfterSeconds: null };
  }
  if (answer.status === NOT_MODIFIED && applied.has(answer.part)) {
    await request.sink.confirm({ sourceId: polled.id, part: answer.part, fetchedAt });
    return { kind: 'unchanged' };
  }
  // The parser takes parameters from the URL, e.g. the stations: use the recorded URL.
  const then = { ...requested, url: answer.url };
  try {
    const bytes = await request.recordings.read(answer.rawId);
    const fetched = { bytes, fetchedAt, rawId: answer.rawId, headers: new Headers() };
    return await applyAnswerBytes(polled, then, fetched, applied.get(answer.part) ?? null, request.sink);
  } catch (error) {
    return toFailure(error, request.effects.clock.nowMilliseconds());
  }
}

function describeTrack(track: Track): PolledSourceState {
  const { polled, attempts, lastSuccessAt, lastAttemptAt, requestedParts, trouble } = track;
  const { id, facts, timetable } = polled;
  return {
    id,
    kind: facts.kind,
    timetable,
    isStandby: false,
    lastSuccessAt,
    lastAttemptAt,
    requestedParts: [...requestedParts],
    trouble,
    troubleSince: null,
    isCircuitOpen: false,
    attempts: Object.fromEntries(attempts),
    facts,
    onDemand: null,
  };
}

async function pause(milliseconds: number, { effects, signal }: ReplayRequest): Promise<void> {
  try {
    await effects.sleep(milliseconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
