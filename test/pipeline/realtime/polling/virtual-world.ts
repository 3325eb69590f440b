import { ExternalError } from '../../../../pipeline/effects/external-error.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  HttpStatusError,
  withoutCredentials,
} from '../../../../pipeline/effects/http.ts';
import { terminalLog } from '../../../../pipeline/effects/log.ts';
import type { FetchedAnswer } from '../../../../pipeline/lake/raw-answers.ts';
import { type SourceId, toSourceId } from '../../../../pipeline/model/ids.ts';
import { UnreadableAnswer } from '../../../../pipeline/model/problem.ts';
import { emptyUpdate, type SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import { type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import type { VehicleDemand } from '../../../../pipeline/model/vehicle-demand.ts';
import type { BudgetRefusal } from '../../../../pipeline/realtime/polling/daily-budget.ts';
import type { PolledSource } from '../../../../pipeline/realtime/polling/open-sources.ts';
import { pollRealtime } from '../../../../pipeline/realtime/polling/poll-realtime.ts';
import type { PollEffects, PollStores } from '../../../../pipeline/realtime/polling/poll-source.ts';
import type {
  PolledAnswer,
  PolledSourceState,
  RealtimeSink,
} from '../../../../pipeline/realtime/polling/realtime-sink.ts';
import type { EarlierRecord } from '../../../../pipeline/realtime/polling/source-record.ts';
import type { StandbySwitches } from '../../../../pipeline/realtime/polling/standby.ts';
import type { SourceFacts } from '../../../../pipeline/sources/realtime-source.ts';
import { virtualTime } from '../../../support/fakes/virtual-time.ts';

const START = '2026-03-02T07:00:00Z';
export const START_INSTANT = parseTimestamp(START)!;

// ---- Sources ---------------------------------------------------------------------------------------------------------

const facts: SourceFacts = {
  kind: 'gtfs-rt',
  zone: 'Europe/Vienna',
  minGapSeconds: 0,
  timeoutSeconds: 10,
  maxBytes: 1000,
  maxAgeSeconds: 180,
  dailyBudget: null,
  archive: 'full',
  licence: null,
  attribution: null,
  coverage: [],
  isNationwide: false,
};

export interface FakeSource extends Partial<SourceFacts> {
  /** Requests by part and seconds between them. */
  readonly parts?: Readonly<Record<string, number>>;
  /** Makes its redirects reported. */
  readonly redirectHosts?: readonly string[];
  readonly isStandby?: boolean;
}

/** A source with JSON responses: their members are spread over an empty update. */
export function fakeSource(
  id: string,
  { parts = { main: 30 }, isStandby = false, redirectHosts, ...more }: FakeSource = {},
): PolledSource {
  const allFacts = { ...facts, ...more };
  return {
    id: toSourceId(id),
    facts: allFacts,
    timetable: null,
    provides: [],
    isStandby,
    headers: { 'x-key': 'secret' },
    source: {
      facts: allFacts,
      listRequests: () =>
        Object.entries(parts).map(([part, intervalSeconds]) => ({
          part,
          method: 'GET',
          url: `https://${id}.example/${part}?key=secret`,
          headers: {},
          body: null,
          intervalSeconds,
          extension: 'json',
          ...(redirectHosts ? { redirectHosts } : {}),
        })),
      parse: (bytes) => ({ ...emptyUpdate, ...parse(Buffer.from(bytes).toString()) }),
    },
  };
}

function parse(text: string): Partial<SourceUpdate> {
  if (text === 'bug') throw new TypeError('x is not a function');
  try {
    return JSON.parse(text) as Partial<SourceUpdate>;
  } catch {
    throw new UnreadableAnswer('not_json', 'the answer is not JSON');
  }
}

// ---- Answers ---------------------------------------------------------------------------------------------------------

/** The fake response to one request. */
export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent unchanged, anything else as JSON. */
  readonly body?: string | Partial<SourceUpdate>;
  /** The address that it comes from after redirects. */
  readonly redirectedTo?: string;
  /** Nothing arrives before this. */
  readonly afterSeconds?: number;
  /** The body ends with this failure. */
  readonly breaksWith?: ExternalError;
}

interface SentRequest {
  /** Seconds since the start. */
  readonly at: number;
  readonly source: string;
  readonly part: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Web = (requested: SentRequest, count: number) => FakeAnswer;

async function* bodyOf({ body = {}, breaksWith }: FakeAnswer, { maxBytes }: HttpRequest) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  if (bytes.length > maxBytes) throw new ExternalError('http_too_large', `it sent more than ${maxBytes} bytes`);
  yield bytes;
  if (breaksWith) throw breaksWith;
}

// ---- The world -------------------------------------------------------------------------------------------------------

export interface World {
  readonly requested: SentRequest[];
  readonly applied: PolledAnswer[];
  readonly confirmed: { readonly part: string; readonly fetchedAt: Instant }[];
  /** Seconds since the start, and the states as published. */
  readonly published: { readonly at: number; readonly states: readonly PolledSourceState[] }[];
  readonly stored: FetchedAnswer[];
  readonly standby: { switches: StandbySwitches | ExternalError };
  readonly budget: { spend: PollStores['spendBudget'] };
  readonly demands: { wanted: readonly VehicleDemand[] };
  readonly sink: RealtimeSink;
  readonly stores: PollStores;
  readonly effects: PollEffects;
  logged(): string;
  /** Polls in the background; `run` lets its time pass. */
  start(
    sources: readonly PolledSource[],
    more?: { rounds?: number; earlier?: ReadonlyMap<SourceId, EarlierRecord> },
  ): Promise<readonly PolledSourceState[]>;
  stop(): void;
  /** Sets the clock forward, or back. */
  setClockBy(seconds: number): void;
  /** Lets time pass up to a number of seconds after the start. */
  run(untilSeconds: number): Promise<void>;
  /** The newest state of a source. */
  state(id: string): PolledSourceState;
}

/** A simulation whose time passes only in `run`: nothing in it waits for a clock or a disk. */
export function virtualWorld(web: Web, more: Partial<PollStores> = {}): World {
  const time = virtualTime(START, settle);
  const written: Pick<World, 'requested' | 'applied' | 'confirmed' | 'published' | 'stored'> = {
    requested: [],
    applied: [],
    confirmed: [],
    published: [],
    stored: [],
  };
  let logged = '';
  const standby: World['standby'] = { switches: {} };
  const budget: World['budget'] = { spend: async (): Promise<BudgetRefusal | null> => null };
  const demands: World['demands'] = { wanted: [] };
  const stores: PollStores = {
    spendBudget: (...args) => budget.spend(...args),
    readStandby: async () => {
      if (standby.switches instanceof ExternalError) throw standby.switches;
      return standby.switches;
    },
    readDemands: async () => demands.wanted,
    storeRaw: async (answer) => ({ rawId: `raw-${written.stored.push(answer)}` }),
    ...more,
  };
  const http = async (request: HttpRequest): Promise<HttpAnswer> => {
    const url = new URL(request.url);
    const [source, part] = [url.hostname.split('.')[0]!, url.pathname.slice(1)];
    const requested = { at: time.seconds(), source, part, headers: request.headers ?? {} };
    const count = written.requested.filter((one) => one.source === source && one.part === part).length;
    written.requested.push(requested);
    const answer = web(requested, count);
    await waitFor(answer.afterSeconds ?? 0, request, time.sleep);
    const { status = 200, headers = {} } = answer;
    if (status === 304) return { status, headers: new Headers(headers), body: null };
    if (status !== 200)
      throw new HttpStatusError(withoutCredentials(request.url), status, headers['retry-after'] ?? null);
    const moved = answer.redirectedTo === undefined ? {} : { redirectedTo: answer.redirectedTo };
    return { status, headers: new Headers(headers), body: bodyOf(answer, request), ...moved };
  };
  const sink: RealtimeSink = {
    apply: async (answer) => void written.applied.push(answer),
    confirm: async (answer) => void written.confirmed.push(answer),
    publish: async (states) => void written.published.push({ at: time.seconds(), states }),
    close: async () => {},
  };
  const log = terminalLog({
    write: (text) => {
      logged += text;
    },
  });
  const effects: PollEffects = { clock: time.clock, http, log, sleep: time.sleep, random: () => 0 };
  const stop = new AbortController();
  return {
    ...written,
    standby,
    budget,
    demands,
    sink,
    stores,
    effects,
    logged: () => logged,
    start: (sources, options = {}) => {
      const settings = { breakerFailures: 3, breakerSeconds: 120 };
      return pollRealtime({ sources, sink, stores, effects, settings, signal: stop.signal, ...options });
    },
    stop: () => stop.abort(new Error('stopped')),
    setClockBy: time.setClockBy,
    run: time.run,
    state: (id) => written.published.at(-1)!.states.find((state) => state.id === id)!,
  };
}

/** As `fetchHttp`: a request that takes longer than the timeout fails. */
async function waitFor(seconds: number, request: HttpRequest, sleep: PollEffects['sleep']): Promise<void> {
  await sleep(Math.min(seconds, request.timeoutSeconds) * 1000, request.signal);
  if (seconds > request.timeoutSeconds) throw new ExternalError('http_timeout', 'took too long', { isRetryable: true });
}

/** Everything that can continue without passing time has continued: between two sleeps there are only promises. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The instant a number of seconds after the start. */
export function instantAt(seconds: number): Instant {
  return (START_INSTANT + seconds) as Instant;
}
