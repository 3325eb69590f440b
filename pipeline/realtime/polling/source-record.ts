import type { GeoBox } from '../../model/geo.ts';
import { backoffMilliseconds } from '../../model/retry-policy.ts';
import type { Instant } from '../../model/service-time.ts';
import type { RealtimeSource, SourceRequest } from '../../sources/realtime-source.ts';
import type { BudgetRefusal } from './daily-budget.ts';
import { type AppliedAnswer, attemptCode, type PollAttempt, sourceRetryPolicy } from './poll-once.ts';

/** State of a source between two requests. Times are milliseconds since 1970. */
export interface SourceRecord {
  /** Last reading of the clock; null: never. */
  clockReadAt: number | null;
  isStandby: boolean;
  /** The standby file cannot be read: the source is not polled. */
  isStandbyUnknown: boolean;
  readonly parts: Map<string, PartRecord>;
  lastRequestAt: number | null;
  lastSuccessAt: number | null;
  failuresInARow: number;
  /** Since when the source has the trouble that `findTrouble` returns; null: it has none. */
  troubleSince: number | null;
  /** Where the last answer came from, if its request was redirected; null: it was not. */
  redirectedTo: string | null;
  /** The circuit breaker is open until then; one trial request follows. Null: closed. */
  openUntil: number | null;
  /** No request is sent before, because of `Retry-After` or the budget. */
  notBefore: number;
  /** Why the last request was not sent; null: it was. */
  refusal: BudgetRefusal | null;
  readonly attempts: Map<string, number>;
  /** Map areas that apps request, for a source that supports requests per area. */
  areas: readonly AreaDemand[];
  /** Why area requests are not sent while other requests are, until `areasNotBefore`. */
  areaRefusal: BudgetRefusal | null;
  areasNotBefore: number;
}

/** An area and its request. */
export interface AreaDemand {
  readonly box: GeoBox;
  readonly request: SourceRequest;
}

/** State of one request of a source. */
interface PartRecord {
  dueAt: number;
  requestCount: number;
  failures: number;
  trouble: string | null;
  /** Time of the last answer that may be shown as live. */
  lastSuccessAt: number | null;
  /** The answer that was applied last. */
  applied: AppliedAnswer | null;
}

/** What is known of a source from an earlier poller. Times are milliseconds since 1970. */
export type EarlierRecord = Pick<SourceRecord, 'lastSuccessAt' | 'troubleSince'>;

/** @param earlier state from which a restarted poller continues */
export function newSourceRecord(earlier: EarlierRecord = { lastSuccessAt: null, troubleSince: null }): SourceRecord {
  return {
    clockReadAt: null,
    isStandby: false,
    isStandbyUnknown: false,
    parts: new Map(),
    lastRequestAt: null,
    failuresInARow: 0,
    ...earlier,
    redirectedTo: null,
    openUntil: null,
    notBefore: 0,
    refusal: null,
    attempts: new Map(),
    areas: [],
    areaRefusal: null,
    areasNotBefore: 0,
  };
}

/** The record of a request; a new one is due at once. */
export function getPart(record: SourceRecord, part: string): PartRecord {
  const known = record.parts.get(part);
  if (known) return known;
  const fresh = { dueAt: 0, requestCount: 0, failures: 0, trouble: null, lastSuccessAt: null, applied: null };
  record.parts.set(part, fresh);
  return fresh;
}

// ---- Next action ----------------------------------------------------------------------------------------------------

export type Turn =
  | { readonly kind: 'request'; readonly request: SourceRequest }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'done' };

interface TurnRules {
  readonly minGapSeconds: number;
  /** How often each request is sent; infinite: until the poller is stopped. */
  readonly rounds: number;
}

/**
 * Chooses the next action of a source: send its next request, wait, or end because all rounds are complete. A round
 * that `Retry-After` or the budget blocks counts as complete.
 */
export function chooseTurn(
  record: SourceRecord,
  requests: readonly SourceRequest[],
  { minGapSeconds, rounds }: TurnRules,
  now: number,
): Turn {
  const open = requests.filter(({ part }) => getPart(record, part).requestCount < rounds);
  const dueAt = (request: SourceRequest) => getPart(record, request.part).dueAt;
  const request = open.reduce<SourceRequest | null>(
    (next, one) => (next === null || dueAt(one) < dueAt(next) ? one : next),
    null,
  );
  if (!request) return Number.isFinite(rounds) ? { kind: 'done' } : { kind: 'wait', until: Number.POSITIVE_INFINITY };
  const heldUntil = Math.max(record.notBefore, record.openUntil ?? 0);
  if (heldUntil > now && Number.isFinite(rounds)) return { kind: 'done' };
  const gapEnds = record.lastRequestAt === null ? 0 : record.lastRequestAt + minGapSeconds * 1000;
  // A trial request need not be due, as the open circuit has waited; a limited number of rounds never waits.
  const isDueNow = record.openUntil !== null || Number.isFinite(rounds);
  const until = Math.max(heldUntil, gapEnds, isDueNow ? 0 : dueAt(request));
  return until <= now ? { kind: 'request', request } : { kind: 'wait', until };
}

/**
 * Adjusts all times of the record when the clock was set back, so that the source does not wait for them. A clock that
 * was set forward puts them into the past, which needs no adjustment.
 */
export function followClock(record: SourceRecord, now: number): void {
  const setBackMilliseconds = (record.clockReadAt ?? now) - now;
  record.clockReadAt = now;
  if (setBackMilliseconds <= 0) return;
  const move = (instant: number) => instant - setBackMilliseconds;
  record.lastRequestAt = record.lastRequestAt && move(record.lastRequestAt);
  record.notBefore = move(record.notBefore);
  record.openUntil = record.openUntil && move(record.openUntil);
  record.lastSuccessAt = record.lastSuccessAt && move(record.lastSuccessAt);
  record.troubleSince = record.troubleSince && move(record.troubleSince);
  record.areasNotBefore = move(record.areasNotBefore);
  for (const part of record.parts.values()) {
    part.dueAt = move(part.dueAt);
    part.lastSuccessAt = part.lastSuccessAt && move(part.lastSuccessAt);
  }
}

// ---- Outcome --------------------------------------------------------------------------------------------------------

export interface BreakerRules {
  readonly breakerFailures: number;
  readonly breakerSeconds: number;
}

interface RequestTiming {
  /** When the request was sent. */
  readonly at: number;
  /** When its answer was applied, or it failed. */
  readonly endedAt: number;
  /** From 0 to 1, for the jitter. */
  readonly random: number;
}

export function noteAttempt(
  record: SourceRecord,
  request: SourceRequest,
  attempt: PollAttempt,
  timing: RequestTiming,
  rules: BreakerRules,
): void {
  followClock(record, timing.endedAt);
  // If the clock was set back in between, the end is before the start.
  const at = Math.min(timing.at, timing.endedAt);
  const { name, trouble } = attemptCode(attempt);
  record.attempts.set(name, (record.attempts.get(name) ?? 0) + 1);
  const part = getPart(record, request.part);
  part.requestCount++;
  part.trouble = trouble;
  if (attempt.kind === 'failed') {
    part.failures++;
    const policy = sourceRetryPolicy(request.intervalSeconds);
    part.dueAt = timing.endedAt + Math.round(backoffMilliseconds(policy, part.failures, timing.random));
    record.failuresInARow++;
    if (attempt.retryAfterSeconds !== null) record.notBefore = timing.endedAt + attempt.retryAfterSeconds * 1000;
    if (record.failuresInARow >= rules.breakerFailures) record.openUntil = timing.endedAt + rules.breakerSeconds * 1000;
    return;
  }
  closeCircuit(record, timing.endedAt);
  part.failures = 0;
  part.dueAt = at + request.intervalSeconds * 1000;
  if (attempt.kind === 'applied') {
    part.applied = attempt.answer;
    part.dueAt = Math.max(part.dueAt, at + attempt.answer.validSeconds * 1000);
    record.redirectedTo = attempt.redirectedTo ?? null;
  }
  const isLive = attempt.kind === 'unchanged' || (attempt.kind === 'applied' && attempt.trouble !== 'frozen');
  if (!isLive) return;
  record.lastSuccessAt = at;
  part.lastSuccessAt = at;
}

/** The source answers again: its requests that were backed off are due at once. */
function closeCircuit(record: SourceRecord, now: number): void {
  record.failuresInARow = 0;
  if (record.openUntil === null) return;
  record.openUntil = null;
  for (const part of record.parts.values()) {
    part.failures = 0;
    part.dueAt = Math.min(part.dueAt, now);
  }
}

/** All requests of a source: the configured ones, then those for files that the latest answers list. */
export function listAllRequests(
  { listRequests, toFileRequest }: Pick<RealtimeSource, 'listRequests' | 'toFileRequest'>,
  answers: Iterable<Pick<AppliedAnswer, 'listedFiles'> | null>,
  now: Instant,
): SourceRequest[] {
  const requests = [...listRequests(now)];
  if (!toFileRequest) return requests;
  for (const answer of answers) requests.push(...(answer?.listedFiles ?? []).map(toFileRequest));
  return requests;
}

/** Drops the records of requests that the source no longer lists. */
export function keepParts(record: SourceRecord, requests: readonly SourceRequest[]): void {
  const wanted = new Set(requests.map(({ part }) => part));
  for (const part of record.parts.keys()) {
    if (!wanted.has(part)) record.parts.delete(part);
  }
}

/**
 * Returns the present trouble of a source: what blocks polling, else that of the first request with one, which is also why
 * the circuit breaker is open.
 */
export function findTrouble(record: SourceRecord): string | null {
  if (record.isStandbyUnknown) return 'standby_unreadable';
  // Trouble from before the pause is no longer relevant.
  if (record.isStandby) return null;
  if (record.refusal !== null) return record.refusal;
  return [...record.parts.values()].find(({ trouble }) => trouble !== null)?.trouble ?? null;
}

/** Notes since when there is trouble; one that follows another continues it. Before the first request, nothing is known. */
export function noteTrouble(record: SourceRecord, now: number): void {
  if (findTrouble(record) !== null) record.troubleSince ??= now;
  else if (record.lastRequestAt !== null || record.isStandby) record.troubleSince = null;
}
