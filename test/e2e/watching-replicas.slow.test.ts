import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Board, Journey } from '../../api/contract/definitions.ts';
import { readPushKey } from '../../api/start-api.ts';
import { CLAIM_SECONDS } from '../../api/watches/outbox.ts';
import { movingClock } from '../../pipeline/effects/clock.ts';
import { apiConfig } from '../api/api-config.ts';
import { compileProgram } from '../support/fakes/compiled-program.ts';
import { startPostgres } from '../support/fakes/embedded-postgres.ts';
import { openPushReceiver, type PushReceiver, type ReceivedPush } from '../support/fakes/push-receiver.ts';
import { prepareReplica, type Replica } from '../support/fakes/running-replica.ts';
import { publishFeeds } from '../support/worlds/board-world.ts';
import { soundFeed, temporaryFolder } from '../support/worlds/ingest.ts';
import { publishReport } from '../support/worlds/publish-report.ts';

/** Time runs ten times as fast: a claim of a minute expires in six seconds. */
const SPEED = 10;
const WATCHES = 40;
/** No further event follows for three minutes. */
const QUIET_SECONDS = 200;

const idOf = ({ message }: ReceivedPush) => (message as { event: { id: string } }).event.id;

/** Waits for the given number of distinct events. @returns how often each was received */
async function untilReceived({ received }: PushReceiver, events: number): Promise<ReadonlyMap<string, number>> {
  await expect.poll(() => new Set(received.map(idOf)).size, { timeout: 120_000 }).toBe(events);
  const counts = new Map<string, number>();
  for (const push of received) counts.set(idOf(push), (counts.get(idOf(push)) ?? 0) + 1);
  return counts;
}

async function watchFirstTrip({ url }: Replica, receiver: PushReceiver, senderKey: string): Promise<void> {
  const getJson = async <Body>(path: string) => (await (await fetch(url + path)).json()) as Body;
  const { departures } = await getJson<Board>('/v2/stops/at:a/departures');
  const { ref, stops } = await getJson<Journey>(`/v2/journeys/${departures[0]!.journeyRef}`);
  const legs = [{ journeyRef: ref, originId: stops[0]!.id, destinationId: stops.at(-1)!.id }];
  for (let i = 0; i < WATCHES; i++) {
    const body = { legs, delivery: { kind: 'webPush', subscription: receiver.subscribe(senderKey) } };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/v2/trips/watch`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
  }
}

test('events arrive although replicas are killed or paused while pushing, and no two running replicas send the same', {
  timeout: 600_000,
}, async ({ skip }) => {
  const postgres = await startPostgres();
  if (typeof postgres === 'string') return skip(`PostgreSQL cannot run here: ${postgres}`);
  onTestFinished(() => postgres.stop());
  const receiver = await openPushReceiver();
  onTestFinished(() => receiver.close());
  const program = await compileProgram('test/support/fakes/cli-at-another-time.ts');
  const dataDir = await temporaryFolder();
  await publishFeeds({ at: soundFeed }, { dataDir });
  const senderKey = await readPushKey(apiConfig(dataDir));
  const course = { at: Date.parse('2026-03-03T06:00:07Z'), since: Date.now(), speed: SPEED };
  const clock = movingClock(course);
  const report = (minutes: number) => publishReport(dataDir, { minutes, nowMilliseconds: clock.nowMilliseconds() });
  const environment = {
    DEMO_STARTS_AT: new Date(course.at).toISOString(),
    DEMO_STARTED: String(course.since),
    DEMO_SPEED: String(SPEED),
    TAKTGEBER_WATCHES_POSTGRES_URL: await postgres.createDatabase(),
    TAKTGEBER_WATCHES_ALLOW_LOOPBACK_PUSHES: 'true',
    TAKTGEBER_WATCHES_MAX_PER_ADDRESS: '1000',
  };
  const prepare = async (name: string) => {
    const replica = await prepareReplica(name, { program, dataDir, environment });
    onTestFinished(() => replica.signal('SIGKILL'));
    await replica.start();
    return replica;
  };
  const [a, b] = await Promise.all([prepare('a'), prepare('b')]);
  await watchFirstTrip(a, receiver, senderKey);

  // The first replica evaluates and pushes alone, and is killed at the first push; the second takes over its claims.
  b.signal('SIGSTOP');
  await report(8);
  await receiver.waitFor(1);
  a.signal('SIGKILL');
  await a.ended;
  b.signal('SIGCONT');
  const first = await untilReceived(receiver, WATCHES);
  // A push that was accepted before this was stored is sent once more.
  expect(Math.max(...first.values())).toBeLessThanOrEqual(2);

  // The remaining replica is paused at the first push of the next events, for longer than its claims last.
  await wait((QUIET_SECONDS * 1000) / SPEED);
  const before = receiver.received.length;
  await report(20);
  await receiver.waitFor(before + 1);
  b.signal('SIGSTOP');
  await a.start();
  const second = await untilReceived(receiver, 2 * WATCHES);
  expect(Math.max(...second.values())).toBeLessThanOrEqual(2);
  await wait((2 * CLAIM_SECONDS * 1000) / SPEED);
  const delivered = receiver.received.length;
  b.signal('SIGCONT');
  await wait((2 * CLAIM_SECONDS * 1000) / SPEED);
  expect(receiver.received.length).toBe(delivered);

  for (const push of receiver.received) expect(push.topic).toBe(idOf(push));
  expect(receiver.faults).toEqual([]);
  expect(b.output()).not.toContain('"level":50');
});
