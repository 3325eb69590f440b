import { type Clock, nowInstant } from '../../effects/clock.ts';
import { type Http, type HttpAnswer, HttpStatusError, readBody, withoutCredentials } from '../../effects/http.ts';
import { WorldError } from '../../effects/world-error.ts';
import type { FetchedAnswer } from '../../lake/raw-answers.ts';
import { isAhead } from '../../model/clock-tolerance.ts';
import { UnreadableAnswer } from '../../model/problem.ts';
import type { SourceUpdate } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { SourceRequest } from '../../sources/realtime-source.ts';
import type { PolledSource } from './open-sources.ts';
import type { RealtimeSink } from './realtime-sink.ts';

/** What makes the next request conditional: the server then says 304 instead of sending the same again. */
interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** What is remembered of an answer that was applied. */
export interface AppliedAnswer {
  readonly fetchedAt: Instant;
  /** Header time; null where there is none. */
  readonly publishedAt: Instant | null;
  /** Null when the next answer is wanted in full. */
  readonly validators: Validators | null;
}

/** What came of one request. */
export type Attempt =
  | {
      readonly kind: 'applied';
      /** Applied all the same: the answer is frozen, or its header lies ahead of us. */
      readonly trouble: 'frozen' | 'header_in_future' | null;
      readonly answer: AppliedAnswer;
    }
  /** The last answer still holds. */
  | { readonly kind: 'unchanged' }
  /** Older than what was applied before: left aside. */
  | { readonly kind: 'outdated' }
  | FailedAttempt;

interface FailedAttempt {
  readonly kind: 'failed';
  /** Stable, snake_case. */
  readonly code: string;
  /** For the person who runs it: one sentence, or the stack of a bug. */
  readonly sentence: string;
  /** How long the publisher wants to be left alone. */
  readonly retryAfterSeconds: number | null;
}

/** The word under which an attempt is counted, and what is wrong after it; null trouble: nothing. */
export function nameAttempt(attempt: Attempt): { readonly name: string; readonly trouble: string | null } {
  switch (attempt.kind) {
    case 'applied':
      return { name: attempt.trouble ?? 'applied', trouble: attempt.trouble };
    case 'unchanged':
      return { name: 'unchanged', trouble: null };
    case 'outdated':
      return { name: 'header_backwards', trouble: 'header_backwards' };
    case 'failed':
      return { name: attempt.code, trouble: attempt.code };
  }
}

/** However long a request has failed, it is tried again within this time, or its interval where that is longer. */
const LONGEST_SECONDS = 300;

/** A wait is stretched by up to this share, so that many pollers do not come back in one moment. */
const JITTER = 0.5;

/**
 * The wait after failures in a row: the request's interval, doubled with each of them. Never shorter than the
 * interval, so that a source in trouble is not asked more often than one that is well.
 * @param failures in a row, from 1 on
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function backoffMilliseconds(failures: number, intervalSeconds: number, random: number): number {
  const doubled = intervalSeconds * 2 ** Math.min(failures - 1, 20);
  const seconds = Math.min(doubled, Math.max(LONGEST_SECONDS, intervalSeconds));
  return Math.round(seconds * (1 + random * JITTER) * 1000);
}

/** However long a publisher asks to be left alone, it is tried again after this time. */
const LONGEST_RETRY_AFTER_SECONDS = 3600;

/**
 * Reads a `Retry-After` header.
 * @param text seconds, or a date as HTTP writes it
 * @returns seconds from now, at most an hour; null when there is no header, or nothing to understand in it
 * @see RFC 9110, section 10.2.3
 */
export function parseRetryAfter(text: string | null, nowMilliseconds: number): number | null {
  if (text === null) return null;
  const isSeconds = /^\d{1,9}$/.test(text.trim());
  // A date begins with the name of its day; without it, `Date.parse` would find years in numbers.
  const isDate = /^[A-Z][a-z]+,? /.test(text) && !Number.isNaN(Date.parse(text));
  if (!isSeconds && !isDate) return null;
  const seconds = isSeconds ? Number(text) : (Date.parse(text) - nowMilliseconds) / 1000;
  return Math.min(Math.max(0, Math.ceil(seconds)), LONGEST_RETRY_AFTER_SECONDS);
}

/** Keeps the bytes of an answer as they came. */
type StoreRawAnswer = (answer: FetchedAnswer) => Promise<{ readonly rawId: string }>;

export interface AskTools {
  readonly clock: Clock;
  readonly http: Http;
  readonly storeRaw: StoreRawAnswer;
  readonly sink: Pick<RealtimeSink, 'apply' | 'confirm'>;
}

/** A header this much ahead of us is the publisher's clock at fault, not the way here. */
const AHEAD_TOLERANCE_SECONDS = 60;

/**
 * Sends one request of a source and applies its answer: bytes are kept first, then read. Whatever goes wrong costs
 * this attempt alone and is its outcome.
 * @param last what was applied of the same request before
 * @throws the signal's reason
 */
export async function askSource(
  polled: PolledSource,
  request: SourceRequest,
  last: AppliedAnswer | null,
  tools: AskTools,
  signal: AbortSignal,
): Promise<Attempt> {
  const fetchedAt = nowInstant(tools.clock);
  try {
    // Only a GET may be answered with 304 (RFC 9110, section 13.1.2).
    const conditions = request.method === 'GET' ? conditionsOf(last, fetchedAt, polled) : {};
    const fetched = await fetchAnswer(polled, request, conditions, tools, signal);
    if (fetched.bytes === null) return await confirmAnswer(polled, request, { ...fetched, fetchedAt }, last, tools);
    return await applyAnswer(polled, request, { ...fetched, bytes: fetched.bytes, fetchedAt }, last, tools);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return toFailure(error, tools.clock.nowMilliseconds());
  }
}

// ---- The way there and back ------------------------------------------------------------------------------------------

interface Fetched extends Pick<HttpAnswer, 'status' | 'headers'> {
  /** Null: not modified. */
  readonly bytes: Uint8Array | null;
  readonly durationMilliseconds: number;
}

async function fetchAnswer(
  { facts, headers: ownHeaders }: PolledSource,
  request: SourceRequest,
  conditions: Readonly<Record<string, string>>,
  { clock, http }: Pick<AskTools, 'clock' | 'http'>,
  signal: AbortSignal,
): Promise<Fetched> {
  const startedAt = clock.nowMilliseconds();
  // A signal of its own: listeners on the one that lives as long as the process would pile up.
  const giveUp = new AbortController();
  const stop = () => giveUp.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { status, headers, body } = await http({
      url: request.url,
      method: request.method,
      headers: { ...request.headers, ...ownHeaders, ...conditions },
      ...(request.body === null ? {} : { body: request.body }),
      timeoutSeconds: facts.timeoutSeconds,
      maxBytes: facts.maxBytes,
      signal: giveUp.signal,
    });
    const bytes = body && (await readBody(body));
    return { status, headers, bytes, durationMilliseconds: clock.nowMilliseconds() - startedAt };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * The headers that make a request conditional. Once what was said last is older than an answer may be, it is asked for
 * in full: only then does a feed show that it stands still.
 */
function conditionsOf(last: AppliedAnswer | null, now: Instant, { facts }: PolledSource): Record<string, string> {
  if (!last?.validators || isAhead(last.fetchedAt, now)) return {};
  if (now - (last.publishedAt ?? last.fetchedAt) > facts.maxAgeSeconds) return {};
  const { etag, lastModified } = last.validators;
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

// ---- What it says ----------------------------------------------------------------------------------------------------

async function confirmAnswer(
  polled: PolledSource,
  request: SourceRequest,
  fetched: Fetched & { readonly fetchedAt: Instant },
  last: AppliedAnswer | null,
  { storeRaw, sink }: AskTools,
): Promise<Attempt> {
  if (!last?.validators) throw new UnreadableAnswer('not_asked_for', 'the answer was 304 to a request in full');
  if (polled.facts.archive === 'full') await storeRaw(toFetchedAnswer(polled, request, fetched));
  await sink.confirm({ sourceId: polled.id, part: request.part, fetchedAt: fetched.fetchedAt });
  return { kind: 'unchanged' };
}

async function applyAnswer(
  polled: PolledSource,
  request: SourceRequest,
  fetched: Fetched & { readonly bytes: Uint8Array; readonly fetchedAt: Instant },
  last: AppliedAnswer | null,
  { storeRaw, sink }: AskTools,
): Promise<Attempt> {
  let rawId: string | null = null;
  if (polled.facts.archive === 'full') ({ rawId } = await storeRaw(toFetchedAnswer(polled, request, fetched)));
  return takeUpAnswer(polled, request, { ...fetched, rawId }, last, sink);
}

/** An answer as it came, now or when it was recorded. */
interface AnswerBytes {
  readonly bytes: Uint8Array;
  readonly fetchedAt: Instant;
  /** Name of the bytes in the raw store; null where none are kept. */
  readonly rawId: string | null;
  readonly headers: Headers;
}

/**
 * Reads an answer and applies it, unless it is older than what was applied last.
 * @throws UnreadableAnswer; what the sink throws
 */
export async function takeUpAnswer(
  polled: PolledSource,
  request: SourceRequest,
  { bytes, fetchedAt, rawId, headers }: AnswerBytes,
  last: AppliedAnswer | null,
  sink: Pick<RealtimeSink, 'apply'>,
): Promise<Attempt> {
  const { part } = request;
  const update = await polled.source.parse(bytes, request, fetchedAt);
  if (isOlder(update, last, fetchedAt, polled)) return { kind: 'outdated' };
  const isAhead = update.publishedAt !== null && update.publishedAt > fetchedAt + AHEAD_TOLERANCE_SECONDS;
  const checked = isAhead ? setBack(update, polled, request, fetchedAt) : update;
  await sink.apply({ sourceId: polled.id, part, fetchedAt, rawId, update: checked });
  const trouble = checked.isFrozen ? 'frozen' : isAhead ? 'header_in_future' : null;
  // What is in trouble is wanted in full next time: a 304 would make it look well.
  const validators = trouble === null ? readValidators(headers) : null;
  return { kind: 'applied', trouble, answer: { fetchedAt, publishedAt: checked.publishedAt, validators } };
}

function toFetchedAnswer(
  { id }: PolledSource,
  { part, extension, url }: SourceRequest,
  { bytes, fetchedAt, status, headers, durationMilliseconds }: Fetched & { fetchedAt: Instant },
): FetchedAnswer {
  const { etag, lastModified } = readValidators(headers) ?? { etag: null, lastModified: null };
  const validators = { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) };
  const facts = { url: withoutKeys(url), status, durationMilliseconds, ...validators };
  return { source: id, part, fetchedAt, extension, bytes, facts };
}

/** Parameters that say what was asked for, which a later reader of the bytes needs. All others may be keys. */
const KEPT_PARAMETERS: readonly string[] = ['diva', 'activateTrafficInfo'];

function withoutKeys(url: string): string {
  const kept = [...new URL(url).searchParams].filter(([name]) => KEPT_PARAMETERS.includes(name));
  const query = new URLSearchParams(kept).toString();
  return query === '' ? withoutCredentials(url) : `${withoutCredentials(url)}?${query}`;
}

/**
 * Whether a publisher's time runs backwards, as it does where one of its servers lags behind. When what was applied
 * last has expired, or was fetched under a clock that has been set back since, the older answer is better than none.
 */
function isOlder(update: SourceUpdate, last: AppliedAnswer | null, now: Instant, { facts }: PolledSource): boolean {
  if (update.publishedAt === null || !last || last.publishedAt === null || isAhead(last.fetchedAt, now)) return false;
  return update.publishedAt < last.publishedAt && now - last.fetchedAt <= facts.maxAgeSeconds;
}

/**
 * A header from the future would win over every other source, and make all answers after it look old. An answer that is
 * further ahead than one may be behind is not of now: what it does not say would else be taken back.
 */
function setBack(
  update: SourceUpdate,
  { id, facts }: PolledSource,
  { part }: SourceRequest,
  fetchedAt: Instant,
): SourceUpdate {
  const aheadSeconds = update.publishedAt! - fetchedAt;
  const detail = `published ${aheadSeconds} s after it was fetched`;
  const problem = { code: 'header_in_future', source: id, place: part, detail };
  const setBackUpdate = { ...update, publishedAt: fetchedAt, problems: [...update.problems, problem] };
  if (aheadSeconds <= facts.maxAgeSeconds) return setBackUpdate;
  const stationBoards = update.stationBoards.map((board) => ({ ...board, isFrozen: true }));
  return { ...setBackUpdate, isFrozen: true, stationBoards };
}

function readValidators(headers: Headers): Validators | null {
  const validators = { etag: headers.get('etag'), lastModified: headers.get('last-modified') };
  return validators.etag === null && validators.lastModified === null ? null : validators;
}

// ---- What went wrong -------------------------------------------------------------------------------------------------

/** An attempt that came to nothing, in the word under which it is counted. */
export function toFailure(error: unknown, nowMilliseconds: number): FailedAttempt {
  const failed = (code: string, sentence: string, retryAfterSeconds: number | null = null): FailedAttempt => ({
    kind: 'failed',
    code,
    sentence,
    retryAfterSeconds,
  });
  if (error instanceof HttpStatusError) {
    const retryAfterSeconds = parseRetryAfter(error.retryAfter, nowMilliseconds);
    return failed(`http_${error.status}`, error.message, retryAfterSeconds);
  }
  if (error instanceof WorldError || error instanceof UnreadableAnswer) return failed(error.code, error.message);
  if (error instanceof Error && 'syscall' in error) return failed('disk_failed', error.message);
  // A bug shows itself in one publisher's answer: it is told with its stack, and the other sources go on.
  return failed('bug', error instanceof Error ? (error.stack ?? error.message) : String(error));
}
