import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { sampleRealtimeIds } from '../../jobs/definitions/sample-sources.ts';
import { nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import { rawFolder } from '../../pipeline/lake/paths.ts';
import { readIndex, type StoredRawAnswer } from '../../pipeline/lake/raw-answer-index.ts';
import { listRawAnswers } from '../../pipeline/lake/raw-answers.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { addDays, type Instant, localDate } from '../../pipeline/model/service-time.ts';
import { SAMPLE_ZONE } from '../../pipeline/sample/simulator/service-day.ts';
import { findFreePort } from '../support/fakes/free-port.ts';
import type { Replica } from '../support/fakes/running-replica.ts';
import { compareObservations, comparePassages, flushJournals } from './polled-observations.ts';
import { CLI, runCli } from './run-cli.ts';
import { type ServiceProcess, startService } from './services/service.ts';

const READY_MILLISECONDS = 240_000;
const EQUAL_MILLISECONDS = 180_000;
/** Longer than records wait before they are published, and long enough that positions give passages. */
const POLLED_MILLISECONDS = 120_000;
const SETTLED_MILLISECONDS = 5000;

interface PollingMachines {
  /** Empty folders: for two pollers, for a reader of the store, and for the data that the reader rebuilds. */
  readonly folders: readonly [first: string, second: string, reader: string, rebuilt: string];
  /** Settings of store, database and reference key. */
  readonly environment: Readonly<Record<string, string>>;
  readonly replicas: readonly Replica[];
}

interface Poller {
  readonly url: string;
  readonly process: ServiceProcess;
}

/**
 * Checks that a poller that publishes to the store can be killed, and one with another folder takes over. The boards of the
 * replicas equal those of the polling machine, with realtime. When the first machine is back, all responses and observations
 * of both are in the store exactly once.
 * @returns a summary of the counts
 */
export async function handOverPolling(machines: PollingMachines): Promise<string> {
  const { folders, environment, replicas } = machines;
  const [first, second] = folders;
  const board = await findBoard(replicas[0]!.url);
  const one = await startPoller('first poller', first, environment);
  await untilBoardsAreEqual(board, one, replicas);
  await wait(POLLED_MILLISECONDS);
  await one.process.kill();
  const killedAt = performance.now();
  // The replicas have loaded its last snapshot.
  await wait(SETTLED_MILLISECONDS);
  const { realtimeId: newest } = await fetchBoard(replicas[0]!.url, board);
  const two = await startPoller('second poller', second, environment);
  await untilBoardsAreEqual(board, two, replicas, newest);
  const seconds = ((performance.now() - killedAt) / 1000).toFixed(0);
  await wait(POLLED_MILLISECONDS);
  await two.process.stop();

  const recorded = await compareRecords(machines);
  return `boards with realtime are those of the poller, and of another one ${seconds} s after its kill; ${recorded}`;
}

/**
 * Restarts the first machine, and publishes pending data of both.
 * @returns a summary of the counts
 * @throws Error if the responses in the store are not those that both fetched, or the observations do not match them
 */
async function compareRecords({ folders, environment }: PollingMachines): Promise<string> {
  const [first, second, reader, rebuilt] = folders;
  const inHand = await listNewestAnswers(first);
  for (const folder of [second, first]) {
    await flushJournals(folder);
    await runCli(folder, environment, 'store', 'publish');
  }
  await runCli(reader, environment, 'store', 'fetch', '--raw');
  const answers = await compareAnswers(reader, [first, second]);
  const days = ['--from', addDays(today(), -1), '--to', today()];
  const rebuild = (folder: string, into: string) =>
    runCli(folder, environment, 'run', 'rebuild-observations', ...days, '--into', into);
  await rebuild(reader, rebuilt);
  const observed = await compareObservations(reader, rebuilt, inHand);
  // Each from its own responses, because a poller does not have the positions that another one has read.
  const ownRebuilt = [`${rebuilt}-first`, `${rebuilt}-second`];
  await rebuild(first, ownRebuilt[0]!);
  await rebuild(second, ownRebuilt[1]!);
  return `${answers} answers once; ${observed}; ${await comparePassages(reader, ownRebuilt, inHand)}`;
}

function today() {
  return localDate(nowInstant(systemClock), SAMPLE_ZONE);
}

async function startPoller(
  name: string,
  dataDir: string,
  environment: Readonly<Record<string, string>>,
): Promise<Poller> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const process_ = await startService({
    name,
    program: process.execPath,
    args: [CLI, 'up', '--data', dataDir, '--port', String(port)],
    folder: dataDir,
    env: {
      TAKTGEBER_CONFIG: '',
      TAKTGEBER_SCHEDULE_IS_ENABLED: 'false',
      TAKTGEBER_METRICS_IS_ENABLED: 'false',
      ...environment,
    },
    readyMilliseconds: READY_MILLISECONDS,
    isReady: async () => (await fetch(`${url}/v1/health`)).ok,
  });
  return { url, process: process_ };
}

// ---- Boards ----------------------------------------------------------------------------------------

/**
 * Polls until all machines answer from the same realtime snapshot of the poller.
 * @param after id of the previous newest snapshot; ids sort by time
 * @returns id of the snapshot
 * @throws Error if these responses differ
 */
async function untilBoardsAreEqual(
  board: string,
  { url }: Poller,
  replicas: readonly Replica[],
  after = '',
): Promise<string> {
  const origins = [url, ...replicas.map((replica) => replica.url)];
  const deadline = performance.now() + EQUAL_MILLISECONDS;
  let seen: readonly FetchedBoard[] = [];
  while (performance.now() < deadline) {
    seen = await Promise.all(origins.map((origin) => fetchBoard(origin, board)));
    const [own, ...others] = seen;
    const isOfPoller = own!.realtimeId > after && own!.text.includes('"isRealtime":true');
    // The entity tag depends on the pair of snapshots and the instant of the board.
    if (isOfPoller && others.every(({ tag }) => tag === own!.tag)) {
      const other = others.find(({ text }) => text !== own!.text);
      if (!other) return own!.realtimeId;
      throw new Error(
        `${board} is ${other.text.slice(0, 600)} at a replica, and ${own!.text.slice(0, 600)} at its poller`,
      );
    }
    await wait(250);
  }
  throw new Error(
    `replicas do not follow the poller: ${seen.map(({ tag, realtimeId }) => `${tag} ${realtimeId}`).join(', ')}`,
  );
}

/** Path of the board of the stop with the most realtime departures. */
async function findBoard(origin: string): Promise<string> {
  const found = await fetch(`${origin}/v2/stops?query=${encodeURIComponent('Wien Hauptbahnhof')}&limit=1`);
  const { stops } = (await found.json()) as { stops: { id: string }[] };
  return `/v2/stops/${encodeURIComponent(stops[0]!.id)}/departures`;
}

interface FetchedBoard {
  readonly text: string;
  readonly tag: string | null;
  /** Empty without realtime. */
  readonly realtimeId: string;
}

async function fetchBoard(origin: string, board: string): Promise<FetchedBoard> {
  const answer = await fetch(origin + board);
  const [, realtimeId = ''] = (answer.headers.get('data-version') ?? '').split('.');
  return { text: await answer.text(), tag: answer.headers.get('etag'), realtimeId };
}

// ---- Answers ---------------------------------------------------------------------------------------

/** Index entries of the raw responses of yesterday and today (UTC). */
async function readIndexes(dataDir: string): Promise<string[]> {
  const lines: string[] = [];
  for (const source of sampleRealtimeIds) {
    for (const date of [addDays(today(), -1), today()]) {
      const answers = await readIndex(rawFolder(dataDir, source, date));
      lines.push(...answers.map((answer) => JSON.stringify(answer)));
    }
  }
  return lines;
}

async function listAnswers(dataDir: string, source: SourceId): Promise<StoredRawAnswer[]> {
  const now = nowInstant(systemClock);
  return listRawAnswers(dataDir, source, (now - 86_400) as Instant, (now + 60) as Instant);
}

/** @returns by part of a source, the responses that the killed poller may have stored but not applied */
async function listNewestAnswers(dataDir: string): Promise<ReadonlySet<string>> {
  const newest = new Set<string>();
  for (const source of sampleRealtimeIds) {
    const byPart = new Map((await listAnswers(dataDir, source)).map(({ part, rawId }) => [part, rawId]));
    for (const rawId of byPart.values()) newest.add(rawId);
  }
  return newest;
}

/**
 * Checks that every response on the disk of a poller is in the store exactly once, with the same bytes.
 * @returns the number of responses
 */
async function compareAnswers(reader: string, pollers: readonly string[]): Promise<number> {
  const expected = new Set((await Promise.all(pollers.map(readIndexes))).flat());
  const found = await readIndexes(reader);
  const lost = [...expected].filter((line) => !found.includes(line));
  if (lost.length > 0) throw new Error(`${lost.length} of ${expected.size} responses are not in the store: ${lost[0]}`);
  if (found.length !== expected.size)
    throw new Error(`${found.length} responses in the store, ${expected.size} fetched`);
  const lists = await Promise.all(sampleRealtimeIds.map((source) => listAnswers(reader, source)));
  const readable = lists.flat().length;
  if (readable !== found.length)
    throw new Error(`of ${found.length} responses in the store, only ${readable} have their bytes`);
  return found.length;
}
