import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sweepLeftovers } from '../../jobs/schedule/sweep-leftovers.ts';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { listObservationFiles } from '../../pipeline/lake/observations/partition-files.ts';
import { withEngine } from '../../pipeline/lake/observations/write-parts.ts';
import { listPredictionFiles } from '../../pipeline/lake/predictions/prediction-files.ts';
import {
  addDays,
  type EpochDay,
  type Instant,
  type ServiceDate,
  toEpochDay,
} from '../../pipeline/model/service-time.ts';
import { storePredictions } from '../../pipeline/predictions/live/prediction-store.ts';
import { trials } from '../support/checks/trials.ts';
import { compileProgram } from '../support/fakes/compiled-program.ts';
import { answer, at, endOf, live, observation, openStore, today } from '../support/worlds/observations.ts';
import { fakeEffects, temporaryFolder, testConfig } from './fake-world.ts';

const DAYS = Array.from({ length: 12 }, (_, day) => addDays(today, day));
const PARTS = 3;
const NOW = `${addDays(today, 20)}T05:00:00Z`;
const ROUNDS = trials(4);
/** After the start of the job; it takes about as long. */
const LAST_KILL_MILLISECONDS = 600;

/** Several files per day, as written by a poller. */
async function storePredicted(dataDir: string): Promise<void> {
  for (let part = 0; part < PARTS; part++) {
    const rows = DAYS.flatMap((date) =>
      Array.from({ length: 500 }, (_, trip) => ({
        day: toEpochDay(date) as EpochDay,
        tripId: `t${trip}`,
        madeAt: at(part * 600) as number as Instant,
        model: 'm',
        fromPosition: 0,
        observedAt: at(part * 600),
        isFromPosition: false,
        delaySeconds: part,
        position: 1,
        low: 0,
        median: 30,
        high: 60,
        priors: [0, 0, 0, 0, 0, 0],
      })),
    );
    const engine = { memoryLimit: '256MB', threads: 1 };
    await withEngine(dataDir, engine, (db, folder) => storePredictions(db, dataDir, folder, live, rows));
  }
}

async function storeObserved(dataDir: string): Promise<void> {
  for (let part = 0; part < PARTS; part++) {
    const store = await openStore(dataDir);
    const seconds = part * 600;
    const seen = DAYS.map((date) => observation({ day: toEpochDay(date), time: at(seconds) }));
    await store.append(answer(seconds, { observations: seen }));
    await store.append(answer(seconds + 60, { ended: seen.flatMap((one) => endOf(one)) }));
    await store.flush(at(seconds + 60));
    await store.close();
  }
}

type ListFiles = (dataDir: string, date: ServiceDate) => Promise<readonly string[]>;

/** Number of rows and a sum over their values, as a reader finds them, and the number of files. */
async function sumUp(dataDir: string, listFiles: ListFiles) {
  const files = (await Promise.all(DAYS.map((date) => listFiles(dataDir, date)))).flat();
  const db = await openDuckdb({ threads: 1 });
  try {
    const read = `read_parquet([${files.map(sqlText).join(', ')}], union_by_name => true)`;
    const sql = `select count(*)::int as "rows", sum(hash(rows_of)::hugeint)::varchar as "sum" from ${read} as rows_of`;
    const [row] = await db.query(sql);
    return { sum: row!, files: files.length };
  } finally {
    db.close();
  }
}

/**
 * Runs the job and kills it after a while.
 * @returns whether it ended before
 */
async function killAfter(program: string, job: string, dataDir: string, milliseconds: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, job, dataDir, NOW], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  await Promise.race([wait(milliseconds), ended]);
  child.kill('SIGKILL');
  const [code, signal] = await ended;
  if (signal === null) expect(code).toBe(0);
  return signal === null;
}

const cases: readonly [job: string, store: (dataDir: string) => Promise<void>, listFiles: ListFiles][] = [
  ['compact-predictions', storePredicted, (dataDir, date) => listPredictionFiles(dataDir, live, date)],
  ['compact-observations', storeObserved, (dataDir, date) => listObservationFiles(dataDir, live, date)],
];

it.each(cases)('%s, killed at any step, loses and duplicates no row', async (job, store, listFiles) => {
  const dataDir = await temporaryFolder();
  await store(dataDir);
  const program = await compileProgram('test/jobs/programs/compacting-run.ts');
  const before = await sumUp(dataDir, listFiles);
  expect(before.files).toBe(DAYS.length * PARTS);
  let kills = 0;
  for (let round = 0; round < ROUNDS; round++) {
    if (!(await killAfter(program, job, dataDir, 40 + (round * LAST_KILL_MILLISECONDS) / ROUNDS))) kills += 1;
    expect((await sumUp(dataDir, listFiles)).sum).toEqual(before.sum);
  }
  expect(kills).toBeGreaterThan(0);
  while (!(await killAfter(program, job, dataDir, 60_000)));
  expect(await sumUp(dataDir, listFiles)).toEqual({ sum: before.sum, files: DAYS.length });
  // As the next process does at its start.
  await sweepLeftovers(await testConfig(dataDir), fakeEffects(), Date.now());
  const names = await readdir(dataDir, { recursive: true });
  expect(names.filter((name) => /\.(tmp|stale)$/.test(name))).toEqual([]);
});
