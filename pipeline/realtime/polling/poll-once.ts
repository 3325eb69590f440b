import { type Clock, nowInstant } from '../../effects/clock.ts';
import { ExternalError } from '../../effects/external-error.ts';
import { type Http, type HttpAnswer, HttpStatusError, readBody, withoutCredentials } from '../../effects/http.ts';
import { parseRetryAfter } from '../../effects/retry-after.ts';
import type { FetchedAnswer } from '../../lake/raw-answers.ts';
import { isAhead } from '../../model/clock-tolerance.ts';
import { UnreadableAnswer } from '../../model/problem.ts';
import type { ListedFile, SourceUpdate } from '../../model/realtime.ts';
import type { RetryPolicy } from '../../model/retry-policy.ts';
import type { Instant } from '../../model/service-time.ts';
import type { SourceRequest } from '../../sources/realtime-source.ts';
import type { PolledSource } from './open-sources.ts';
import type { RealtimeSink } from './realtime-sink.ts';

/** Validators of the next conditional request: the server answers 304 when nothing has changed. */
interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Facts about the last applied answer of a request. */
export interface AppliedAnswer {
  readonly fetchedAt: Instant;
  /** Publication time in the header; null without one. */
  readonly publishedAt: Instant | null;
  /** Null when the next request must be unconditional. */
  readonly validators: Validators | null;
  /** Further files that the answer lists. */
  readonly listedFiles: readonly ListedFile[];
  /** Minimum seconds until the next request; 0 if only the interval counts. */
  readonly validSeconds: number;
}

/** Outcome of one request. */
export type PollAttempt =
  | {
      readonly kind: 'applied';
      /** The answer was applied although it is frozen or its header time is in the future. */
      readonly trouble: 'frozen' | 'header_in_future' | null;
      readonly answer: AppliedAnswer;
      /** Where the request was redirected, if its source reports that. */
      readonly redirectedTo?: string | null;
    }
  /** 304: the last answer is still valid. */
  | { readonly kind: 'unchanged' }
  /** Older than the last applied answer: ignored. */
  | { readonly kind: 'outdated' }
  | FailedAttempt;

interface FailedAttempt {
  readonly kind: 'failed';
  /** Stable, snake_case. */
  readonly code: string;
  /** For the operator: one sentence, or the stack trace of a bug. */
  readonly sentence: string;
  /** From the `Retry-After` header; null without one. */
  readonly retryAfterSeconds: number | null;
}

/** Code under which an attempt is counted, and the state of the request after it; `trouble` null: healthy. */
export function attemptCode(attempt: PollAttempt): { readonly name: string; readonly trouble: string | null } {
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

/** Maximum wait of a failing request, or its interval where that is longer. */
const MAX_BACKOFF_MILLISECONDS = 300_000;

/**
 * The waits of a failing request. None is shorter than its interval, so that a failing source is not polled more often
 * than a healthy one.
 */
export function sourceRetryPolicy(intervalSeconds: number): RetryPolicy {
  const firstWaitMilliseconds = intervalSeconds * 1000;
  const maxWaitMilliseconds = Math.max(MAX_BACKOFF_MILLISECONDS, firstWaitMilliseconds);
  return { firstWaitMilliseconds, factor: 2, maxWaitMilliseconds, jitter: [1, 1.5] };
}

/** Stores the unmodified bytes of an answer. */
type StoreRawAnswer = (answer: FetchedAnswer) => Promise<{ readonly rawId: string }>;

export interface PollTools {
  readonly clock: Clock;
  readonly http: Http;
  readonly storeRaw: StoreRawAnswer;
  readonly sink: Pick<RealtimeSink, 'apply' | 'confirm'>;
}

/** A header time further ahead than this is a wrong clock of the publisher, not a difference between clocks. */
const AHEAD_TOLERANCE_SECONDS = 60;

/**
 * Sends one request of a source and applies its answer; the bytes are stored before they are parsed. Every failure is
 * returned as the outcome of this attempt.
 * @param last the answer of the same request that was applied before
 * @throws the signal's reason
 */
export async function pollOnce(
  polled: PolledSource,
  request: SourceRequest,
  last: AppliedAnswer | null,
  tools: PollTools,
  signal: AbortSignal,
): Promise<PollAttempt> {
  const fetchedAt = nowInstant(tools.clock);
  try {
    // Only a GET may be answered with 304 (RFC 9110, section 13.1.2).
    const conditions = request.method === 'GET' ? conditionsOf(last, fetchedAt, polled) : {};
    const fetched = await fetchAnswer(polled, request, conditions, tools, signal);
    if (fetched.bytes === null) return await confirmAnswer(polled, request, { ...fetched, fetchedAt }, last, tools);
    const attempt = await applyAnswer(polled, request, { ...fetched, bytes: fetched.bytes, fetchedAt }, last, tools);
    const isReported = request.redirectHosts !== undefined && attempt.kind === 'applied';
    return isReported ? { ...attempt, redirectedTo: fetched.redirectedTo ?? null } : attempt;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return toFailure(error, tools.clock.nowMilliseconds());
  }
}

// ---- HTTP -----------------------------------------------------------------------------------------------------------

interface Fetched extends Pick<HttpAnswer, 'status' | 'headers' | 'redirectedTo'> {
  /** Null: not modified. */
  readonly bytes: Uint8Array | null;
  readonly durationMilliseconds: number;
}

async function fetchAnswer(
  { facts, headers: ownHeaders }: PolledSource,
  request: SourceRequest,
  conditions: Readonly<Record<string, string>>,
  { clock, http }: Pick<PollTools, 'clock' | 'http'>,
  signal: AbortSignal,
): Promise<Fetched> {
  const startedAt = clock.nowMilliseconds();
  // A signal per request: listeners on the process-wide one would accumulate.
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { status, headers, body, ...moved } = await http({
      url: request.url,
      method: request.method,
      headers: { ...request.headers, ...ownHeaders, ...conditions },
      ...(request.body === null ? {} : { body: request.body }),
      ...(request.redirectHosts ? { redirectHosts: request.redirectHosts } : {}),
      timeoutSeconds: facts.timeoutSeconds,
      maxBytes: facts.maxBytes,
      signal: controller.signal,
    });
    const bytes = body && (await readBody(body));
    return { status, headers, bytes, ...moved, durationMilliseconds: clock.nowMilliseconds() - startedAt };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Returns the headers of a conditional request, none once the last answer has expired: only a full answer shows that a
 * feed is frozen.
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

// ---- Answers --------------------------------------------------------------------------------------------------------

async function confirmAnswer(
  polled: PolledSource,
  request: SourceRequest,
  fetched: Fetched & { readonly fetchedAt: Instant },
  last: AppliedAnswer | null,
  { storeRaw, sink }: PollTools,
): Promise<PollAttempt> {
  if (!last?.validators)
    throw new UnreadableAnswer('unexpected_not_modified', 'the answer to an unconditional request was 304');
  if (polled.facts.archive === 'full') await storeRaw(toFetchedAnswer(polled, request, fetched));
  await sink.confirm({ sourceId: polled.id, part: request.part, fetchedAt: fetched.fetchedAt });
  return { kind: 'unchanged' };
}

async function applyAnswer(
  polled: PolledSource,
  request: SourceRequest,
  fetched: Fetched & { readonly bytes: Uint8Array; readonly fetchedAt: Instant },
  last: AppliedAnswer | null,
  { storeRaw, sink }: PollTools,
): Promise<PollAttempt> {
  let rawId: string | null = null;
  if (polled.facts.archive === 'full') ({ rawId } = await storeRaw(toFetchedAnswer(polled, request, fetched)));
  return applyAnswerBytes(polled, request, { ...fetched, rawId }, last, sink);
}

/** An answer that was just fetched, or recorded earlier. */
interface AnswerBytes {
  readonly bytes: Uint8Array;
  readonly fetchedAt: Instant;
  /** Name of the bytes in the raw store; null where none are kept. */
  readonly rawId: string | null;
  readonly headers: Headers;
}

/**
 * Parses an answer and applies it, unless it is older than the last applied one.
 * @throws UnreadableAnswer; what the sink throws
 */
export async function applyAnswerBytes(
  polled: PolledSource,
  request: SourceRequest,
  { bytes, fetchedAt, rawId, headers }: AnswerBytes,
  last: AppliedAnswer | null,
  sink: Pick<RealtimeSink, 'apply'>,
): Promise<PollAttempt> {
  const { part } = request;
  const update = await polled.source.parse(bytes, request, fetchedAt);
  if (isOlder(update, last, fetchedAt, polled)) return { kind: 'outdated' };
  const isAhead = update.publishedAt !== null && update.publishedAt > fetchedAt + AHEAD_TOLERANCE_SECONDS;
  const checked = isAhead ? clampHeaderTime(update, polled, request, fetchedAt) : update;
  await sink.apply({ sourceId: polled.id, part, fetchedAt, rawId, update: checked });
  const trouble = checked.isFrozen ? 'frozen' : isAhead ? 'header_in_future' : null;
  // After trouble the next request is unconditional: a 304 would hide that the trouble persists.
  const validators = trouble === null ? readValidators(headers) : null;
  const { publishedAt, listedFiles = [], validSeconds = 0 } = checked;
  return { kind: 'applied', trouble, answer: { fetchedAt, publishedAt, validators, listedFiles, validSeconds } };
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

/** Query parameters that a later parse of the bytes needs. All others may be keys. */
const KEPT_PARAMETERS: readonly string[] = ['diva', 'activateTrafficInfo'];

function withoutKeys(url: string): string {
  const kept = [...new URL(url).searchParams].filter(([name]) => KEPT_PARAMETERS.includes(name));
  const query = new URLSearchParams(kept).toString();
  return query === '' ? withoutCredentials(url) : `${withoutCredentials(url)}?${query}`;
}

/**
 * Whether the publication time goes backwards, which happens if one of the publisher's servers lags behind. If the last
 * applied answer has expired, or was fetched before our clock was set back, the older answer is used all the same.
 */
function isOlder(update: SourceUpdate, last: AppliedAnswer | null, now: Instant, { facts }: PolledSource): boolean {
  if (update.publishedAt === null || !last || last.publishedAt === null || isAhead(last.fetchedAt, now)) return false;
  return update.publishedAt < last.publishedAt && now - last.fetchedAt <= facts.maxAgeSeconds;
}

/**
 * Sets a header time in the future to the fetch time: it would win over every other source and make all later answers
 * look old. An answer further ahead than `maxAgeSeconds` is treated as frozen, so that what it omits is not withdrawn.
 */
function clampHeaderTime(
  update: SourceUpdate,
  { id, facts }: PolledSource,
  { part }: SourceRequest,
  fetchedAt: Instant,
): SourceUpdate {
  const aheadSeconds = update.publishedAt! - fetchedAt;
  const detail = `published ${aheadSeconds} s after it was fetched`;
  const problem = { code: 'header_in_future', source: id, place: part, detail };
  const clamped = { ...update, publishedAt: fetchedAt, problems: [...update.problems, problem] };
  if (aheadSeconds <= facts.maxAgeSeconds) return clamped;
  const stationBoards = update.stationBoards.map((board) => ({ ...board, isFrozen: true }));
  return { ...clamped, isFrozen: true, stationBoards };
}

function readValidators(headers: Headers): Validators | null {
  const validators = { etag: headers.get('etag'), lastModified: headers.get('last-modified') };
  return validators.etag === null && validators.lastModified === null ? null : validators;
}

// ---- Failures -------------------------------------------------------------------------------------------------------

/** Converts an error to a failed attempt with the code under which it is counted. */
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
  if (error instanceof ExternalError || error instanceof UnreadableAnswer) return failed(error.code, error.message);
  if (error instanceof Error && 'syscall' in error) return failed('disk_failed', error.message);
  // A bug that one publisher's answer triggers is reported with its stack trace; the other sources continue.
  return failed('bug', error instanceof Error ? (error.stack ?? error.message) : String(error));
}
