import { setTimeout as wait } from 'node:timers/promises';
import type { Board, Journey, LegRef, WatchState } from '../../api/contract/definitions.ts';
import { ENDED_AFTER_SECONDS } from '../../api/watches/judge/judge-watch.ts';
import { CLAIM_SECONDS } from '../../api/watches/outbox.ts';
import { openPushReceiver, type ReceivedPush } from '../support/fakes/push-receiver.ts';
import type { Replica } from '../support/fakes/running-replica.ts';
import { runCli } from './run-cli.ts';
import { endWithProcess } from './services/service.ts';

/** Number of watches on the leg that ends first: their events are due at the same time, too many for one replica. */
const BURST = 300;
/** More pushes than one replica sends before the first response: each has at most 64 under way, and polls every second. */
const RECEIVED_AT_KILL = 150;
const ANSWER_MILLISECONDS = 2000;
/** Watched legs end between these times from now. */
const FIRST_END_SECONDS = 60;
const LAST_END_SECONDS = 300;
const STATES_AT_A_TIME = 8;
const SETTLED_MILLISECONDS = 240_000;
/** A push that was under way at the kill is sent again when its claim expires. */
const TAKEN_OVER_MILLISECONDS = (CLAIM_SECONDS - 10) * 1000;
/** Maximum time between a response of the push service and its record in the store, on a busy machine. */
const GAP_MILLISECONDS = 1000;

interface MadeWatch {
  readonly body: object;
  readonly endpoint: string;
  readonly watchId: string;
  /** Events in the response, which are not pushed. */
  readonly known: ReadonlySet<string>;
}

export interface ReplicaWatches {
  /** Waits until both replicas have pushes under way. */
  untilBothPush(): Promise<void>;
  /** @param killedAt when a replica was killed, milliseconds of `performance.now()` */
  noteKill(killedAt: number): void;
  /**
   * Waits until every event of all watches has been pushed.
   * @returns a summary of the counts
   * @throws Error if an event was lost, or was repeated for another reason than the kill
   */
  settle(origin: string): Promise<string>;
}

/** Settings of replicas whose watches are checked. */
export function watchingEnvironment(postgresUrl: string): Record<string, string> {
  return {
    TAKTGEBER_WATCHES_POSTGRES_URL: postgresUrl,
    TAKTGEBER_WATCHES_ALLOW_LOOPBACK_PUSHES: 'true',
  };
}

/** Creates watches on both replicas, for legs that end in a minute or later, so that each watch gets at least one event. */
export async function watchLegs(
  dataDir: string,
  replicas: readonly Replica[],
  boards: readonly string[],
): Promise<ReplicaWatches> {
  const receiver = await openPushReceiver();
  endWithProcess(() => receiver.close());
  receiver.answerAfter(ANSWER_MILLISECONDS);
  const senderKey = (await runCli(dataDir, {}, 'push-key')).trim();
  const [first, ...others] = await listEndingLegs(replicas[0]!.url, boards);
  if (!first) throw new Error('no leg ends within the next minutes, so no event can be expected');
  const legs = [...Array.from({ length: BURST }, () => first), ...others];
  const watches: MadeWatch[] = [];
  for (const [i, leg] of legs.entries()) {
    const subscription = receiver.subscribe(senderKey);
    const body = { legs: [leg], delivery: { kind: 'webPush', subscription }, minDelayMinutes: 1 };
    watches.push(await makeWatch(replicas[i % replicas.length]!.url, subscription.endpoint, body));
  }
  let killedAt = Number.NaN;
  return {
    async untilBothPush() {
      await receiver.waitFor(RECEIVED_AT_KILL);
    },
    noteKill(at) {
      killedAt = at;
      receiver.answerAfter(0);
    },
    async settle(origin) {
      const expected = await untilAllReceived(origin, watches, receiver.received);
      // A repeated push is sent when the claim of the first expires.
      await wait(Math.max(0, killedAt + (CLAIM_SECONDS + 20) * 1000 - performance.now()));
      if (receiver.faults.length > 0) throw new Error(`pushes were not as they should be: ${receiver.faults[0]}`);
      const burst = new Set(watches.slice(0, BURST).map(({ endpoint }) => endpoint));
      const isTakenOver = ({ endpoint, at }: ReceivedPush) =>
        burst.has(endpoint) && at > killedAt + TAKEN_OVER_MILLISECONDS;
      if (!receiver.received.some(isTakenOver))
        throw new Error('the killed replica had no push under way, so repeated pushes were not tested');
      return describePushes(expected, watches.length, receiver.received, killedAt);
    },
  };
}

/** @returns legs of running journeys, ordered by their end */
async function listEndingLegs(origin: string, boards: readonly string[]): Promise<LegRef[]> {
  const found = new Map<string, { readonly leg: LegRef; readonly endsAt: number }>();
  const now = Date.now() / 1000;
  for (const board of boards) {
    const { departures = [] } = await fetchJson<Partial<Board>>(origin, board);
    for (const { journeyRef } of departures) {
      if (journeyRef === undefined || found.has(journeyRef)) continue;
      const { stops } = await fetchJson<Journey>(origin, `/v2/journeys/${journeyRef}`);
      for (const { id, arrival } of stops.slice(1)) {
        const times = [arrival?.scheduled, arrival?.realtime].flatMap((time) =>
          time ? [Date.parse(time) / 1000] : [],
        );
        const endsAt = Math.max(...times) + ENDED_AFTER_SECONDS;
        if (!(endsAt > now + FIRST_END_SECONDS && endsAt < now + LAST_END_SECONDS)) continue;
        found.set(journeyRef, { leg: { journeyRef, originId: stops[0]!.id, destinationId: id }, endsAt });
        break;
      }
    }
  }
  return [...found.values()].sort((a, b) => a.endsAt - b.endsAt).map(({ leg }) => leg);
}

async function makeWatch(origin: string, endpoint: string, body: object): Promise<MadeWatch> {
  const { watchId, events } = await postWatch(origin, body);
  return { body, endpoint, watchId, known: new Set(events.map(({ id }) => id)) };
}

/** @returns ids of all events that must be pushed */
async function untilAllReceived(
  origin: string,
  watches: readonly MadeWatch[],
  received: readonly ReceivedPush[],
): Promise<ReadonlySet<string>> {
  const deadline = performance.now() + SETTLED_MILLISECONDS;
  for (;;) {
    const expected = await listEvents(origin, watches);
    const arrived = new Set(received.map(idOf));
    const lost = [...expected].filter((id) => !arrived.has(id));
    if (lost.length === 0) return expected;
    if (performance.now() > deadline) throw new Error(`${lost.length} of ${expected.size} events were not pushed`);
    await wait(2000);
  }
}

/** Sends each watch again to read its events. @returns ids, without those of the first responses */
async function listEvents(origin: string, watches: readonly MadeWatch[]): Promise<Set<string>> {
  const expected = new Set<string>();
  for (let i = 0; i < watches.length; i += STATES_AT_A_TIME) {
    const some = watches.slice(i, i + STATES_AT_A_TIME);
    const states = await Promise.all(some.map(({ body, watchId }) => postWatch(origin, { ...body, watchId })));
    for (const [k, { watchId, events }] of states.entries()) {
      if (watchId !== some[k]!.watchId) throw new Error(`the watch ${some[k]!.watchId} no longer exists`);
      for (const { id } of events) if (!some[k]!.known.has(id)) expected.add(id);
    }
  }
  return expected;
}

/** @throws Error for a push that was repeated although its replica was running, or that belongs to no event */
function describePushes(
  expected: ReadonlySet<string>,
  watches: number,
  received: readonly ReceivedPush[],
  killedAt: number,
): string {
  const byEvent = new Map<string, ReceivedPush[]>();
  for (const push of received) byEvent.set(idOf(push), [...(byEvent.get(idOf(push)) ?? []), push]);
  const again = [...byEvent].filter(([, pushes]) => pushes.length > 1);
  for (const [id, pushes] of again) {
    if (!isGap(pushes, killedAt))
      throw new Error(`event ${id} was pushed ${pushes.length} times, not because of the kill`);
  }
  const unknown = [...byEvent.values()].filter(([first]) => !expected.has(idOf(first!)) && first!.at < killedAt);
  if (unknown.length > 0) throw new Error(`${unknown.length} pushes belong to no event of a watch`);
  return (
    `${expected.size} events of ${watches} watches pushed, ${expected.size - again.length} once, ${again.length} twice: the push ` +
    'service had them when the replica was killed, and the store did not know'
  );
}

/** Whether the first of two pushes was under way when its replica was killed, and the second followed after its claim. */
function isGap([first, second, ...more]: readonly ReceivedPush[], killedAt: number): boolean {
  const { at, answeredAt } = first!;
  const wasUnderWay = at < killedAt + GAP_MILLISECONDS && (answeredAt ?? killedAt) > killedAt - GAP_MILLISECONDS;
  return more.length === 0 && wasUnderWay && second!.at > at + TAKEN_OVER_MILLISECONDS;
}

function idOf({ message }: ReceivedPush): string {
  return (message as { event: { id: string } }).event.id;
}

async function fetchJson<Body>(origin: string, path: string): Promise<Body> {
  return (await (await fetch(origin + path)).json()) as Body;
}

async function postWatch(origin: string, body: object): Promise<WatchState> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${origin}/v2/trips/watch`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`creating a watch returned ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  return (await answer.json()) as WatchState;
}
