import { mkdir, readdir, rename, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { withEngine } from '../../../pipeline/lake/observations/write-parts.ts';
import { predictionPartition, predictionStateFolder } from '../../../pipeline/lake/paths.ts';
import { listPredictionFiles } from '../../../pipeline/lake/predictions/prediction-files.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { type EpochDay, type Instant, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { storePredictions } from '../../../pipeline/predictions/live/prediction-store.ts';
import { fakeEffects, runCommand, temporaryFolder } from '../fake-world.ts';

const source = toSourceId('live');
const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03'] as ServiceDate[];
const NOW = '2026-03-04T05:00:00Z';

async function predictedWorld(): Promise<string> {
  const dataDir = await temporaryFolder();
  for (const instant of [1_772_400_000, 1_772_400_600]) {
    const rows = DAYS.map((date) => ({
      day: toEpochDay(date) as EpochDay,
      tripId: 't',
      madeAt: instant as Instant,
      model: 'm',
      fromPosition: 0,
      observedAt: instant,
      isFromPosition: false,
      delaySeconds: 0,
      position: 1,
      low: 0,
      median: 30,
      high: 60,
      priors: [0, 0, 0, 0, 0, 0],
    }));
    await withEngine(dataDir, { memoryLimit: '256MB', threads: 1 }, (db, folder) =>
      storePredictions(db, dataDir, folder, source, rows),
    );
  }
  return dataDir;
}

const run = (dataDir: string, ...options: string[]) =>
  runCommand(['run', 'compact-predictions', ...options], { dataDir, effects: fakeEffects(NOW) });

const countFiles = (dataDir: string) =>
  Promise.all(DAYS.map(async (date) => (await listPredictionFiles(dataDir, source, date)).length));

it('makes one file of each day that is two days past, once', async () => {
  const dataDir = await predictedWorld();
  const planned = await run(dataDir, '--dry-run');
  expect(planned.stdout).toContain('would make one file of each of 2 days');
  expect(await countFiles(dataDir)).toEqual([2, 2, 2]);
  expect((await run(dataDir)).stdout).toContain('made one file of each of 2 days');
  expect(await countFiles(dataDir)).toEqual([1, 1, 2]);
  expect(await run(dataDir, '--exit-code')).toMatchObject({ code: 3 });
});

it('makes one of a requested day', async () => {
  const dataDir = await predictedWorld();
  expect((await run(dataDir, '--date', '2026-03-03')).code).toBe(0);
  expect(await countFiles(dataDir)).toEqual([2, 2, 1]);
});

it.each(['compact-predictions', 'evaluate-predictions'])(
  'leaves the swap of another day to its own shard when compacting %s',
  async (job) => {
    const dataDir = await predictedWorld();
    await run(dataDir);
    const day = DAYS[0]!;
    const partition = predictionPartition(dataDir, source, day);
    const swap = path.join(predictionStateFolder(dataDir), `source=${source}`, 'swaps', `service_date=${day}`);
    const [compacted] = await readdir(partition);
    await mkdir(path.join(swap, 'old'), { recursive: true });
    await rename(path.join(partition, compacted!), path.join(swap, compacted!));
    await rmdir(partition);
    await writeFile(path.join(swap, 'covered.json'), JSON.stringify({ files: [] }));
    const runJob = (...options: string[]) =>
      runCommand(['run', job, ...options], { dataDir, effects: fakeEffects(NOW) });
    expect((await runJob('--date', DAYS[1]!)).code).toBe(0);
    expect(await readdir(swap)).toContain(compacted);
    expect((await runJob('--date', day)).code).toBe(0);
    expect(await readdir(partition)).toEqual([compacted]);
  },
);
