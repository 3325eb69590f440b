import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { openWalkRouter } from '../../../pipeline/streets/open-walk-router.ts';
import { at, spot } from './made-up-town.ts';
import type { ThreadInput } from './walk-thread.ts';

const ROUNDS = 25;

/** The report of a thread at its end. */
interface ThreadReport {
  readonly id: string;
  readonly found: readonly { readonly measured: unknown; readonly paths: unknown }[];
}

// Walks in threads and in the main thread concurrently; prints how many results equal those of the main thread alone,
// and how many differ.
const walks = (await openWalkRouter(process.argv[2]!))!;
const from = spot('market');
const to = [spot('chapel'), spot('east'), spot('bankWest'), at(50, 100), at(0, 5000)];
const walkHere = async (profile: 'foot' | 'wheelchair') => ({
  measured: await walks.measure(from, to, profile, 5000),
  paths: await Promise.all(to.map((place) => walks.findPath(from, place, profile, 'de'))),
});
const expected = {
  foot: JSON.stringify(await walkHere('foot')),
  wheelchair: JSON.stringify(await walkHere('wheelchair')),
};
const tally = { same: 0, other: 0, threads: 0 };
const count = (profile: 'foot' | 'wheelchair', found: unknown) => {
  tally[JSON.stringify(found) === expected[profile] ? 'same' : 'other'] += 1;
};

async function walkInThread(profile: 'foot' | 'wheelchair'): Promise<void> {
  const streets = walks.share();
  const input: ThreadInput = { streets, from, to, profile, rounds: ROUNDS };
  const file = new URL('./walk-thread.js', import.meta.url);
  const thread = new Worker(file, { workerData: input, transferList: [streets.port] });
  // Registered at the start: a thread's last message and its exit may arrive together.
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  const report = await new Promise<ThreadReport>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  // It ends by itself: shared data do not keep it alive.
  await ended;
  for (const found of report.found) count(profile, found);
  if (report.id === walks.id) tally.threads += 1;
}

async function walkMeanwhile(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) count('foot', await walkHere('foot'));
}

await Promise.all([walkInThread('foot'), walkInThread('wheelchair'), walkInThread('foot'), walkMeanwhile()]);
process.stdout.write(JSON.stringify(tally));
