import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRealtime, type Realtime } from '../../api/engine/read/realtime.ts';
import { writeJsonAtomically } from '../../pipeline/effects/files.ts';
import { readRealtimeSnapshot, realtimeSnapshotsFolder } from '../../pipeline/snapshots/realtime-files.ts';
import type { SnapshotsInput, SwapInput } from './child-tasks.ts';
import { quantile } from './figure.ts';

export interface SwapMeasures {
  /** While nothing is published. */
  readonly calm: LoadMeasures;
  /** While a new snapshot is published every second. */
  readonly swapping: LoadMeasures;
}

export interface LoadMeasures {
  readonly p99: number;
  /** Milliseconds of the slowest request of each second. */
  readonly slowest: readonly number[];
  /** Answers that show realtime, and those of them whose times are not all of the snapshot that they name. */
  readonly live: number;
  readonly mixed: number;
  /** Milliseconds from each publishing to the end of the first answer that was made from it. */
  readonly seenAfter: readonly number[];
}

const ROUNDS = 3;
const SECONDS = 8;
const REQUESTS_PER_SECOND = 320;
const CONNECTIONS = 32;
export const SWAP_REQUESTS = (2 * ROUNDS + 1) * SECONDS * REQUESTS_PER_SECOND;

/** A steady load of boards on the service, by turns without and with a new snapshot every second. */
export async function measureSwaps(input: SwapInput): Promise<SwapMeasures> {
  const load = openLoad(input);
  const publisher = openPublisher(input);
  const calm: LoadMeasures[] = [];
  const swapping: LoadMeasures[] = [];
  await load.run(async () => null);
  for (let round = 0; round < ROUNDS; round++) {
    calm.push(await load.run(async () => null));
    swapping.push(await load.run(publisher));
  }
  load.close();
  return { calm: joinMeasures(calm), swapping: joinMeasures(swapping) };
}

function joinMeasures(all: readonly LoadMeasures[]): LoadMeasures {
  return {
    p99: Math.max(...all.map(({ p99 }) => p99)),
    slowest: all.flatMap(({ slowest }) => slowest),
    live: all.reduce((sum, { live }) => sum + live, 0),
    mixed: all.reduce((sum, { mixed }) => sum + mixed, 0),
    seenAfter: all.flatMap(({ seenAfter }) => seenAfter),
  };
}

/** @returns id of the snapshot that is current from now on; null: nothing was published */
type PublishNext = () => Promise<string | null>;

/** The files are there already: to a reader, publishing is the pointer that moves. */
function openPublisher({ dataDir, snapshots }: SwapInput): PublishNext {
  const pointerFile = path.join(realtimeSnapshotsFolder(dataDir), 'current.json');
  let published = 0;
  return async () => {
    const { id, timetableId } = snapshots[published++ % snapshots.length]!;
    await writeJsonAtomically(pointerFile, { id, timetableId });
    return id;
  };
}

/**
 * Loads snapshots as the service does while the event loop turns.
 * @returns milliseconds of the longest turn of each load; of the first round, which warms up, nothing
 */
export async function measureStandstills({ dataDir, snapshots }: SnapshotsInput): Promise<number[]> {
  const standstills: number[] = [];
  let before: Realtime | null = null;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { id } of snapshots) {
      const longest = watchTurns();
      before = openRealtime(await readRealtimeSnapshot(dataDir, id), before);
      const milliseconds = await longest();
      if (round > 0) standstills.push(milliseconds);
    }
  }
  return standstills;
}

/** @returns stops watching, and tells the milliseconds of the longest turn */
function watchTurns(): () => Promise<number> {
  let longest = 0;
  let isWatching = true;
  const turn = (last: number) => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    if (isWatching) setImmediate(turn, now);
  };
  turn(performance.now());
  return async () => {
    // The turn that has just ended is seen by the next one.
    await sleep(1);
    isWatching = false;
    return longest;
  };
}

// ---- The load ----------------------------------------------------------------------------------

/** Asks at a steady rate and waits for no answer, so that a pause of the service is felt by whoever asks during it. */
function openLoad({ origin, paths, snapshots }: SwapInput) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const marks = new Map(snapshots.map(({ id, mark }) => [id, mark]));
  let asked = 0;
  return {
    close: () => agent.destroy(),
    async run(publishNext: PublishNext): Promise<LoadMeasures> {
      const record = startRecord(marks);
      const started = performance.now();
      const underWay: Promise<void>[] = [];
      for (let i = 0; i < SECONDS * REQUESTS_PER_SECOND; i++) {
        const wait = started + (i * 1000) / REQUESTS_PER_SECOND - performance.now();
        // A timer is no finer than a millisecond.
        if (wait >= 1) await sleep(wait);
        if (i % REQUESTS_PER_SECOND === 0) underWay.push(publishNext().then(record.notePublished));
        const url = `${origin}${paths[asked++ % paths.length]!}`;
        const second = Math.floor(i / REQUESTS_PER_SECOND);
        underWay.push(ask(url, agent).then((answer) => record.noteAnswer(second, answer)));
      }
      await Promise.all(underWay);
      return record.read();
    },
  };
}

interface TimedAnswer {
  readonly milliseconds: number;
  /** Of the realtime snapshot that it says it was made from. */
  readonly snapshotId: string;
  readonly body: string;
}

/** @throws Error for an answer that is no success */
function ask(url: string, agent: http.Agent): Promise<TimedAnswer> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.once('error', reject);
      response.once('end', () => {
        const milliseconds = performance.now() - started;
        if (response.statusCode !== 200) return reject(new Error(`${url} answered ${response.statusCode}`));
        const dataVersion = String(response.headers['data-version']);
        const snapshotId = dataVersion.slice(dataVersion.lastIndexOf('.') + 1);
        resolve({ milliseconds, snapshotId, body: Buffer.concat(pieces).toString() });
      });
    });
    request.once('error', reject);
  });
}

const LIVE_SECONDS = /"realtime":"[^"]{17}(\d\d)/g;

function startRecord(marks: ReadonlyMap<string, number>) {
  const times: number[] = [];
  const slowest = new Array<number>(SECONDS).fill(0);
  const awaited = new Map<string, number>();
  const seenAfter: number[] = [];
  let live = 0;
  let mixed = 0;
  return {
    notePublished(id: string | null): void {
      if (id !== null) awaited.set(id, performance.now());
    },
    noteAnswer(second: number, { milliseconds, snapshotId, body }: TimedAnswer): void {
      times.push(milliseconds);
      slowest[second] = Math.max(slowest[second]!, milliseconds);
      const publishedAt = awaited.get(snapshotId);
      if (publishedAt !== undefined) seenAfter.push(performance.now() - publishedAt);
      awaited.delete(snapshotId);
      const shown = new Set(Array.from(body.matchAll(LIVE_SECONDS), ([, seconds]) => Number(seconds)));
      if (shown.size > 0) live += 1;
      if (shown.size > 1 || (shown.size === 1 && !shown.has(marks.get(snapshotId)!))) mixed += 1;
    },
    read(): LoadMeasures {
      times.sort((a, b) => a - b);
      return { p99: quantile(times, 0.99), slowest, live, mixed, seenAfter };
    },
  };
}
