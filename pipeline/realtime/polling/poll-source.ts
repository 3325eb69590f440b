import { type Clock, nowInstant } from '../../effects/clock.ts';
import type { Log } from '../../effects/log.ts';
import { WorldError } from '../../effects/world-error.ts';
import type { SourceId } from '../../model/ids.ts';
import type { Instant } from '../../model/service-time.ts';
import type { VehicleDemand } from '../../model/vehicle-demand.ts';
import { areaBudget } from '../../sources/area-budget.ts';
import type { SourceRequest } from '../../sources/realtime-source.ts';
import { type AskTools, type Attempt, askSource, nameAttempt } from './ask-source.ts';
import type { BudgetRefusal, DailyLimit } from './daily-budget.ts';
import type { PolledSource } from './open-sources.ts';
import type { PolledSourceState } from './realtime-sink.ts';
import {
  type AreaDemand,
  type BreakerRules,
  chooseTurn,
  findTrouble,
  followClock,
  getPart,
  keepParts,
  newSourceRecord,
  noteAttempt,
  type SourceRecord,
  type Turn,
} from './source-record.ts';
import type { StandbySwitches } from './standby.ts';

/** What the poller keeps on disk: see `daily-budget.ts`, `standby.ts` and the raw store. */
export interface PollStores {
  spendBudget(source: SourceId, limit: DailyLimit, now: Instant): Promise<BudgetRefusal | null>;
  readStandby(): Promise<StandbySwitches>;
  /** Areas of the map whose vehicles are wanted at a moment. */
  readDemands(now: Instant): Promise<readonly VehicleDemand[]>;
  readonly storeRaw: AskTools['storeRaw'];
}

export interface PollEffects {
  readonly clock: Clock;
  readonly http: AskTools['http'];
  readonly log: Log;
  /** @throws the signal's reason when it aborts before the time is over */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

interface PollSourceRequest {
  readonly polled: PolledSource;
  readonly rules: BreakerRules;
  /** How often every request is asked; infinite: until the signal aborts. */
  readonly rounds: number;
  readonly stores: PollStores;
  readonly sink: AskTools['sink'];
  readonly effects: PollEffects;
  readonly signal: AbortSignal;
  /** Called when the state has changed. */
  onChange(state: PolledSourceState): void;
}

/** Longest sleep in one piece: a switch that ops turn, or a clock that is set, is noticed within it. */
const LONGEST_POLL_SLEEP_MILLISECONDS = 5000;

/** How soon a spent or unusable budget is looked at again. */
const BUDGET_LOOK_MILLISECONDS = 60_000;

/**
 * Asks one source, request by request, until the signal aborts or its rounds are over. No answer, and no lack of one,
 * ends it.
 * @throws what the sink or a store throws beyond their answers to one request
 */
export async function pollSource(request: PollSourceRequest): Promise<void> {
  const { effects, signal, rounds } = request;
  const record = newSourceRecord();
  const teller = stateTeller(request, record);
  while (!signal.aborted) {
    const isHeld = await isOnStandby(request, record);
    teller.tell();
    const now = effects.clock.nowMilliseconds();
    const turn = isHeld ? heldTurn(rounds) : await nextTurn(request, record, now);
    if (turn.kind === 'done') return;
    if (turn.kind === 'wait') await pause(turn.until - now, request);
    else if (await isAllowed(request, record, turn.request)) await takeTurn(request, record, turn.request);
    teller.tell();
  }
}

async function nextTurn(request: PollSourceRequest, record: SourceRecord, now: number): Promise<Turn> {
  const { polled, rounds } = request;
  const instant = Math.floor(now / 1000) as Instant;
  const requests = polled.source.listRequests(instant);
  record.areas = await listAreas(request, instant);
  const ofAreas = record.areas.map((area) => area.request);
  keepParts(record, [...requests, ...ofAreas]);
  if (ofAreas.length === 0) record.areaRefusal = null;
  followClock(record, now);
  const open = record.areasNotBefore > now ? requests : [...requests, ...ofAreas];
  return chooseTurn(record, open, { minGapSeconds: polled.facts.minGapSeconds, rounds }, now);
}

/** What somebody looks at on the map, for a source that can be asked for it; a run of some rounds serves no map. */
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
    await effects.sleep(Math.min(milliseconds, LONGEST_POLL_SLEEP_MILLISECONDS), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

// ---- May it be asked? ------------------------------------------------------------------------------------------------

/** When nobody can read what ops want, nothing is asked. */
async function isOnStandby({ polled, stores }: PollSourceRequest, record: SourceRecord): Promise<boolean> {
  try {
    const switches = await stores.readStandby();
    record.isStandby = switches[polled.id]?.isStandby ?? polled.isStandby;
    record.isStandbyUnknown = false;
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    record.isStandbyUnknown = true;
  }
  return record.isStandby || record.isStandbyUnknown;
}

/** An area is counted twice: against its share of the budget, and like any request. */
async function isAllowed(request: PollSourceRequest, record: SourceRecord, asked: SourceRequest): Promise<boolean> {
  const isArea = record.areas.some((area) => area.request.part === asked.part);
  return !(isArea && (await isAreaRefused(request, record))) && isWithinBudget(request, record);
}

async function isAreaRefused({ polled, stores, effects }: PollSourceRequest, record: SourceRecord): Promise<boolean> {
  const { dailyBudget, zone } = polled.facts;
  if (dailyBudget === null) return false;
  const limit = { requests: areaBudget(dailyBudget), zone };
  // No source has a dot in its id, so the count has a file of its own.
  record.areaRefusal = await stores.spendBudget(`${polled.id}.areas` as SourceId, limit, nowInstant(effects.clock));
  if (record.areaRefusal === null) return false;
  record.areasNotBefore = effects.clock.nowMilliseconds() + BUDGET_LOOK_MILLISECONDS;
  return true;
}

async function isWithinBudget({ polled, stores, effects }: PollSourceRequest, record: SourceRecord): Promise<boolean> {
  const { dailyBudget, zone } = polled.facts;
  if (dailyBudget === null) return true;
  const before = record.refusal;
  record.refusal = await stores.spendBudget(polled.id, { requests: dailyBudget, zone }, nowInstant(effects.clock));
  if (record.refusal === null) return true;
  if (record.refusal !== before) effects.log.warn(`${polled.id} is not asked: ${record.refusal}`);
  const now = effects.clock.nowMilliseconds();
  followClock(record, now);
  record.notBefore = now + BUDGET_LOOK_MILLISECONDS;
  return false;
}

// ---- Asking ----------------------------------------------------------------------------------------------------------

async function takeTurn(request: PollSourceRequest, record: SourceRecord, asked: SourceRequest): Promise<void> {
  const { polled, effects, stores, sink, rules, signal } = request;
  const at = effects.clock.nowMilliseconds();
  record.lastRequestAt = at;
  const tools = { clock: effects.clock, http: effects.http, storeRaw: stores.storeRaw, sink };
  const before = getPart(record, asked.part).trouble;
  try {
    const attempt = await askSource(polled, asked, getPart(record, asked.part).applied, tools, signal);
    const moment = { at, endedAt: effects.clock.nowMilliseconds(), random: effects.random() };
    noteAttempt(record, asked, attempt, moment, rules);
    tellAttempt(`${polled.id}: ${asked.part}`, attempt, before, effects.log);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Tells of each trouble once: what goes on in the same way is counted, not told again. Headers that run backwards are
 * only counted: where one of many servers lags behind, they come and go with every other answer.
 */
function tellAttempt(name: string, attempt: Attempt, before: string | null, log: Log): void {
  if (attempt.kind === 'outdated') return;
  const { trouble } = nameAttempt(attempt);
  if (trouble === before) return;
  if (attempt.kind === 'failed') log.warn(`${name} failed, ${attempt.code}: ${attempt.sentence}`);
  else if (trouble !== null) log.warn(`${name} is of no use as it is: ${trouble}`);
  else if (before !== 'header_backwards') log.info(`${name} is well again`);
}

// ---- Telling ---------------------------------------------------------------------------------------------------------

/** Hands the state on whenever it is another than before. */
function stateTeller({ polled, onChange }: PollSourceRequest, record: SourceRecord) {
  let told = '';
  return {
    tell: () => {
      const state = describeSource(polled, record);
      const { facts: _facts, ...changing } = state;
      const text = JSON.stringify(changing);
      if (text === told) return;
      told = text;
      onChange(state);
    },
  };
}

function describeSource({ id, facts, timetable, source }: PolledSource, record: SourceRecord): PolledSourceState {
  const toInstant = (milliseconds: number | null) =>
    milliseconds === null ? null : (Math.floor(milliseconds / 1000) as Instant);
  const areas = record.areas.flatMap(({ box, request }) => {
    const askedAt = toInstant(record.parts.get(request.part)?.lastSuccessAt ?? null);
    return askedAt === null ? [] : { box, askedAt };
  });
  return {
    id,
    kind: facts.kind,
    timetable,
    isStandby: record.isStandby,
    lastSuccessAt: toInstant(record.lastSuccessAt),
    lastAttemptAt: toInstant(record.lastRequestAt),
    askedParts: [...record.parts].flatMap(([part, { timesAsked }]) => (timesAsked > 0 ? part : [])),
    trouble: findTrouble(record),
    onDemand: source.toAreaRequest ? { isCapped: record.areaRefusal !== null || record.refusal !== null, areas } : null,
    attempts: Object.fromEntries(record.attempts),
    facts,
  };
}
