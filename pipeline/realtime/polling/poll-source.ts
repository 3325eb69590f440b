import { type Clock, nowInstant } from '../../effects/clock.ts';
import { ExternalError } from '../../effects/external-error.ts';
import type { Log } from '../../effects/log.ts';
import type { SourceId } from '../../model/ids.ts';
import type { Instant } from '../../model/service-time.ts';
import type { VehicleDemand } from '../../model/vehicle-demand.ts';
import { areaBudget } from '../../sources/area-budget.ts';
import type { SourceRequest } from '../../sources/realtime-source.ts';
import type { BudgetRefusal, DailyLimit } from './daily-budget.ts';
import type { PolledSource } from './open-sources.ts';
import { attemptCode, type PollAttempt, type PollTools, pollOnce } from './poll-once.ts';
import type { PolledSourceState } from './realtime-sink.ts';
import {
  type AreaDemand,
  type BreakerRules,
  chooseTurn,
  type EarlierRecord,
  findTrouble,
  followClock,
  getPart,
  keepParts,
  listAllRequests,
  newSourceRecord,
  noteAttempt,
  noteTrouble,
  type SourceRecord,
  type Turn,
} from './source-record.ts';
import type { StandbySwitches } from './standby.ts';

/** The poller's stores on disk: see `daily-budget.ts`, `standby.ts` and the raw store. */
export interface PollStores {
  spendBudget(source: SourceId, limit: DailyLimit, now: Instant): Promise<BudgetRefusal | null>;
  readStandby(): Promise<StandbySwitches>;
  /** Map areas whose vehicles are requested at `now`. */
  readDemands(now: Instant): Promise<readonly VehicleDemand[]>;
  readonly storeRaw: PollTools['storeRaw'];
}

export interface PollEffects {
  readonly clock: Clock;
  readonly http: PollTools['http'];
  readonly log: Log;
  /** @throws the signal's reason when it aborts during the sleep */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

interface PollSourceRequest {
  readonly polled: PolledSource;
  readonly rules: BreakerRules;
  /** How often each request is sent; infinite: until the signal aborts. */
  readonly rounds: number;
  readonly stores: PollStores;
  readonly sink: PollTools['sink'];
  readonly effects: PollEffects;
  readonly signal: AbortSignal;
  /** What an earlier poller has published of the source; absent: nothing. */
  readonly earlier?: EarlierRecord | undefined;
  /** Called when the state has changed. */
  onChange(state: PolledSourceState): void;
}

/** Longest single sleep: a standby switch or a clock change is noticed within it. */
const MAX_POLL_SLEEP_MILLISECONDS = 5000;

/** Wait before a spent or unusable budget is checked again. */
const BUDGET_CHECK_MILLISECONDS = 60_000;

/**
 * Polls one source, request by request, until the signal aborts or its rounds are complete. Neither an answer nor a
 * missing one ends it.
 * @throws errors of the sink or a store that do not belong to one request
 */
export async function pollSource(request: PollSourceRequest): Promise<void> {
  const { effects, signal, rounds } = request;
  const record = newSourceRecord(request.earlier);
  const reporter = openStateReporter(request, record);
  while (!signal.aborted) {
    const isHeld = await isOnStandby(request, record);
    reporter.report();
    const now = effects.clock.nowMilliseconds();
    const turn = isHeld ? heldTurn(rounds) : await nextTurn(request, record, now);
    if (turn.kind === 'done') return;
    if (turn.kind === 'wait') await pause(turn.until - now, request);
    else if (await isAllowed(request, record, turn.request)) await takeTurn(request, record, turn.request);
    reporter.report();
  }
}

async function nextTurn(request: PollSourceRequest, record: SourceRecord, now: number): Promise<Turn> {
  const { polled, rounds } = request;
  const instant = Math.floor(now / 1000) as Instant;
  const applied = Array.from(record.parts.values(), (part) => part.applied);
  const requests = listAllRequests(polled.source, applied, instant);
  record.areas = await listAreas(request, instant);
  const ofAreas = record.areas.map((area) => area.request);
  keepParts(record, [...requests, ...ofAreas]);
  if (ofAreas.length === 0) record.areaRefusal = null;
  followClock(record, now);
  const open = record.areasNotBefore > now ? requests : [...requests, ...ofAreas];
  return chooseTurn(record, open, { minGapSeconds: polled.facts.minGapSeconds, rounds }, now);
}

/** Map areas that apps request, if the source supports them; none when the number of rounds is limited. */
async function listAreas({ polled, stores, rounds }: PollSourceRequest, now: Instant): Promise<AreaDemand[]> {
  const { source } = polled;
  if (!source.toAreaRequest || Number.isFinite(rounds)) return [];
  const demands = await stores.readDemands(now);
  return demands.map(({ box }) => ({ box, request: source.toAreaRequest!(box, now) }));
}

function heldTurn(rounds: number): Turn {
  return Number.isFinite(rounds) ? { kind: 'done' } : { kind: 'wait', until: Number.POSITIVE_INFINITY };
}

async function pause(milliseconds: number, { effects, signal }: PollSourceRequest): Promise<void> {
  try {
    await effects.sleep(Math.min(milliseconds, MAX_POLL_SLEEP_MILLISECONDS), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

// ---- Standby and budget ---------------------------------------------------------------------------------------------

/** An unreadable standby file counts as standby. */
async function isOnStandby({ polled, stores }: PollSourceRequest, record: SourceRecord): Promise<boolean> {
  try {
    const switches = await stores.readStandby();
    record.isStandby = switches[polled.id]?.isStandby ?? polled.isStandby;
    record.isStandbyUnknown = false;
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    record.isStandbyUnknown = true;
  }
  return record.isStandby || record.isStandbyUnknown;
}

/** An area request counts twice: against the areas' share of the budget and against the budget itself. */
async function isAllowed(request: PollSourceRequest, record: SourceRecord, requested: SourceRequest): Promise<boolean> {
  const isArea = record.areas.some((area) => area.request.part === requested.part);
  return !(isArea && (await isAreaRefused(request, record))) && isWithinBudget(request, record);
}

async function isAreaRefused({ polled, stores, effects }: PollSourceRequest, record: SourceRecord): Promise<boolean> {
  const { dailyBudget, zone } = polled.facts;
  if (dailyBudget === null) return false;
  const limit = { requests: areaBudget(dailyBudget), zone };
  // No source id contains a dot, so the count has a separate file.
  record.areaRefusal = await stores.spendBudget(`${polled.id}.areas` as SourceId, limit, nowInstant(effects.clock));
  if (record.areaRefusal === null) return false;
  record.areasNotBefore = effects.clock.nowMilliseconds() + BUDGET_CHECK_MILLISECONDS;
  return true;
}

async function isWithinBudget({ polled, stores, effects }: PollSourceRequest, record: SourceRecord): Promise<boolean> {
  const { dailyBudget, zone } = polled.facts;
  if (dailyBudget === null) return true;
  const before = record.refusal;
  record.refusal = await stores.spendBudget(polled.id, { requests: dailyBudget, zone }, nowInstant(effects.clock));
  if (record.refusal === null) return true;
  if (record.refusal !== before) effects.log.warn(`${polled.id} is not polled: ${record.refusal}`);
  const now = effects.clock.nowMilliseconds();
  followClock(record, now);
  record.notBefore = now + BUDGET_CHECK_MILLISECONDS;
  return false;
}

// ---- Requests -------------------------------------------------------------------------------------------------------

async function takeTurn(request: PollSourceRequest, record: SourceRecord, requested: SourceRequest): Promise<void> {
  const { polled, effects, stores, sink, rules, signal } = request;
  const at = effects.clock.nowMilliseconds();
  record.lastRequestAt = at;
  const tools = { clock: effects.clock, http: effects.http, storeRaw: stores.storeRaw, sink };
  const before = getPart(record, requested.part).trouble;
  try {
    const { redirectedTo } = record;
    const attempt = await pollOnce(polled, requested, getPart(record, requested.part).applied, tools, signal);
    const timing = { at, endedAt: effects.clock.nowMilliseconds(), random: effects.random() };
    noteAttempt(record, requested, attempt, timing, rules);
    logAttempt(`${polled.id}: ${requested.part}`, attempt, before, effects.log);
    if (record.redirectedTo !== redirectedTo && record.redirectedTo !== null) {
      effects.log.warn(
        `${polled.id}: requests are redirected to ${record.redirectedTo}; set its endpoint to that address`,
      );
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Logs each trouble when it begins and ends; repetitions are only counted. So are header times that go backwards: where
 * one of many servers lags behind, they come and go with every other answer.
 */
function logAttempt(name: string, attempt: PollAttempt, before: string | null, log: Log): void {
  if (attempt.kind === 'outdated') return;
  const { trouble } = attemptCode(attempt);
  if (trouble === before) return;
  if (attempt.kind === 'failed') log.warn(`${name} failed, ${attempt.code}: ${attempt.sentence}`);
  else if (trouble !== null) log.warn(`${name} is not usable as live: ${trouble}`);
  else if (before !== 'header_backwards') log.info(`${name} has recovered`);
}

// ---- State ----------------------------------------------------------------------------------------------------------

/** Reports the state whenever it has changed. */
function openStateReporter({ polled, onChange, effects }: PollSourceRequest, record: SourceRecord) {
  let lastReported = '';
  return {
    report: () => {
      noteTrouble(record, effects.clock.nowMilliseconds());
      const state = describeSource(polled, record);
      const { facts: _facts, ...changing } = state;
      const text = JSON.stringify(changing);
      if (text === lastReported) return;
      lastReported = text;
      onChange(state);
    },
  };
}

function describeSource({ id, facts, timetable, source }: PolledSource, record: SourceRecord): PolledSourceState {
  const toInstant = (milliseconds: number | null) =>
    milliseconds === null ? null : (Math.floor(milliseconds / 1000) as Instant);
  const areas = record.areas.flatMap(({ box, request }) => {
    const requestedAt = toInstant(record.parts.get(request.part)?.lastSuccessAt ?? null);
    return requestedAt === null ? [] : { box, requestedAt };
  });
  return {
    id,
    kind: facts.kind,
    timetable,
    isStandby: record.isStandby,
    lastSuccessAt: toInstant(record.lastSuccessAt),
    lastAttemptAt: toInstant(record.lastRequestAt),
    requestedParts: [...record.parts].flatMap(([part, { requestCount }]) => (requestCount > 0 ? part : [])),
    trouble: findTrouble(record),
    troubleSince: toInstant(record.troubleSince),
    isCircuitOpen: record.openUntil !== null,
    ...(record.redirectedTo === null ? {} : { redirectedTo: record.redirectedTo }),
    onDemand: source.toAreaRequest ? { isCapped: record.areaRefusal !== null || record.refusal !== null, areas } : null,
    attempts: Object.fromEntries(record.attempts),
    facts,
  };
}
