import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRealtime, type Realtime } from '../../api/engine/read/realtime.ts';
import { writeJsonAtomically } from '../../pipeline/effects/files.ts';
import { readRealtimeSnapshot, realtimeSnapshotsFolder } from '../../pipeline/snapshots/realtime-files.ts';
import type { SnapshotsInput, SwapInput } from './child-tasks.ts';
import { quantile } from './metric.ts';

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
  /** Responses with realtime, and those whose times are not all from the snapshot in their `Data-Version`. */
  readonly live: number;
  readonly mixed: number;
  /** Milliseconds from each publication to the end of the first response based on it. */
  readonly seenAfter: readonly number[];
}

const ROUNDS = 3;
const SECONDS = 8;
const REQUESTS_PER_SECOND = 320;
const CONNECTIONS = 32;
export const SWAP_REQUESTS = (2 * ROUNDS + 1) * SECONDS * REQUESTS_PER_SECOND;

/** Measures boards at a constant rate, alternately without and with a new snapshot every second. */
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

/** @returns id of the new current snapshot; null: nothing was published */
type PublishNext = () => Promise<string | null>;

/** The files exist already, so publishing only moves the pointer. */
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
 * Loads snapshots like the service, and watches the event loop.
 * @returns milliseconds of the longest turn of each load, without the first round, which warms up
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

/** @returns a function that stops watching and returns the milliseconds of the longest turn */
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
    // The next turn records the one that has just ended.
    await sleep(1);
    isWatching = false;
    return longest;
  };
}

// ---- The load ----------------------------------------------------------------------------------

/** Sends requests at a constant rate without waiting, so that a pause of the service delays all requests during it. */
function openLoad({ origin, paths, snapshots }: SwapInput) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const marks = new Map(snapshots.map(({ id, mark }) => [id, mark]));
  let sent = 0;
  return {
    close: () => agent.destroy(),
    async run(publishNext: PublishNext): Promise<LoadMeasures> {
      const record = startRecord(marks);
      const started = performance.now();
      const underWay: Promise<void>[] = [];
      for (let i = 0; i < SECONDS * REQUESTS_PER_SECOND; i++) {
        const wait = started + (i * 1000) / REQUESTS_PER_SECOND - performance.now();
        // Timers have a resolution of one millisecond.
        if (wait >= 1) await sleep(wait);
        if (i % REQUESTS_PER_SECOND === 0) underWay.push(publishNext().then(record.notePublished));
        const url = `${origin}${paths[sent++ % paths.length]!}`;
        const second = Math.floor(i / REQUESTS_PER_SECOND);
        underWay.push(send(url, agent).then((answer) => record.noteAnswer(second, answer)));
      }
      await Promise.all(underWay);
      return record.read();
    },
  };
}

interface TimedAnswer {
  readonly milliseconds: number;
  /** Id of the realtime snapshot in `Data-Version`. */
  readonly snapshotId: string;
  readonly body: string;
}

/** @throws Error for an unsuccessful response */
function send(url: string, agent: http.Agent): Promise<TimedAnswer> {
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
