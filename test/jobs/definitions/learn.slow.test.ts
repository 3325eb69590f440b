import { describe, expect, it } from 'vitest';
import { withEngine } from '../../../pipeline/lake/observations/write-parts.ts';
import type { EpochDay, Instant } from '../../../pipeline/model/service-time.ts';
import { learnSource } from '../../../pipeline/predictions/learning/learn-source.ts';
import { storePredictions } from '../../../pipeline/predictions/live/prediction-store.ts';
import { hashFiles } from '../../support/checks/folder-state.ts';
import { dateOf, ENGINE, RECORDED, recordRuns } from '../../support/worlds/recorded-world.ts';
import { FIRST_DAY, makeDatedTripTable } from '../../support/worlds/run-world.ts';
import { fakeEffects, runCommand, temporaryFolder } from '../fake-world.ts';

const DAYS = 9;
const table = makeDatedTripTable(71, { days: DAYS, trains: 16, calls: 9 });
const LAST_DAY = FIRST_DAY + DAYS - 1;
/** The morning after the last day. */
const NOW = `${dateOf(LAST_DAY + 1)}T05:00:00Z`;

const isOfMetrics = (file: string) => /^snapshots.prediction/.test(file);

const run = (dataDir: string, ...args: string[]) =>
  runCommand(args, { dataDir, effects: fakeEffects(NOW), parts: { learn: learnSource } });

describe('the jobs that learn', () => {
  it('do nothing without a continued record', async () => {
    const dataDir = await temporaryFolder();
    for (const job of ['build-features', 'train-predictions']) {
      const { code, stdout } = await run(dataDir, 'run', job, '--exit-code');
      expect([code, stdout]).toEqual([3, expect.stringContaining('no source has a recent record')]);
    }
    await recordRuns(dataDir, table, FIRST_DAY + 2);
    const { stdout } = await runCommand(['run', 'build-features'], {
      dataDir,
      effects: fakeEffects(`${dateOf(LAST_DAY + 30)}T05:00:00Z`),
      parts: { learn: learnSource },
    });
    expect(stdout).toContain('no source has a recent record');
  });

  it('report what is missing', async () => {
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, table, FIRST_DAY + 2);
    const features = await run(dataDir, 'run', 'build-features', '--source', RECORDED);
    expect(features.stdout).toContain('live: not enough data, 3 days with observations; learning needs at least 4');
    const model = await run(dataDir, 'run', 'train-predictions', '--source', RECORDED);
    expect(model.stdout).toContain('live: no features; run build-features');
    expect((await run(dataDir, 'status')).stdout).toContain('There is no prediction model');
  });

  it.each([
    ['build-features', 'there are no records of a source "nonsense"; there are live'],
    ['train-predictions', 'there are no records of a source "nonsense"; there are live'],
    ['evaluate-predictions', 'there are no records of a source "nonsense"; there is none yet'],
  ])('%s accepts only sources with a record', async (job, expected) => {
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, table, FIRST_DAY + 1);
    const { code, stderr } = await run(dataDir, 'run', job, '--source', 'nonsense');
    expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
  });

  it('build features, then a model; its predictions are measured, and status shows the result', async () => {
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, table, LAST_DAY);
    expect((await run(dataDir, 'run', 'build-features', '--dry-run')).stdout).toContain(
      'would make features of 9 days',
    );
    const features = await run(dataDir, 'run', 'build-features');
    expect(features.stdout).toMatch(/live: [\d,]+ rows of 2024-\d\d-\d\d to /);
    const model = await run(dataDir, 'run', 'train-predictions');
    expect(model.stdout).toMatch(/live: model 2024-\S+, MAE \d+\.\d s \(persistence baseline: \d+\.\d s\)/);
    const again = await run(dataDir, 'run', 'train-predictions', '--exit-code');
    expect([again.code, again.stdout]).toEqual([3, expect.stringContaining('as before')]);

    const start = table.callStart[table.serviceDay.indexOf(LAST_DAY)]!;
    const madeAt = table.departureTime[start]! as Instant;
    const truth = table.arrivalDelay[start + 1]!;
    await withEngine(dataDir, ENGINE, (db, folder) =>
      storePredictions(db, dataDir, folder, RECORDED, [
        {
          day: LAST_DAY as EpochDay,
          tripId: `t${table.train[table.serviceDay.indexOf(LAST_DAY)]}`,
          madeAt,
          model: 'm',
          fromPosition: 0,
          observedAt: madeAt,
          isFromPosition: false,
          delaySeconds: truth + 30,
          position: 1,
          low: truth - 5,
          median: truth + 12,
          high: truth + 40,
          priors: [1, 2, 3, 4, 5, 6],
        },
      ]),
    );
    expect((await run(dataDir, 'run', 'evaluate-predictions', '--dry-run')).stdout).toContain('would measure 1 day');
    expect((await run(dataDir, 'run', 'evaluate-predictions')).stdout).toContain('measured 1 day');
    expect((await run(dataDir, 'run', 'evaluate-predictions')).stdout).toContain('measured 0 days, 1 as before');
    const published = await hashFiles(dataDir, isOfMetrics);
    expect(published.size).toBeGreaterThan(2);
    const months = ['--from', dateOf(LAST_DAY - 40), '--to', dateOf(LAST_DAY), '--concurrency', '2', '--force'];
    const { stdout: divided } = await run(dataDir, 'run', 'evaluate-predictions', ...months);
    expect(divided).toMatch(/1 of [23] months done, [12] unchanged/);
    expect(await hashFiles(dataDir, isOfMetrics)).toEqual(published);
    const queried = await run(
      dataDir,
      'sql',
      '--csv',
      'select count(*) as n, any_value(source) as source from predictions',
    );
    expect(queried.stdout).toContain('1,live');
    const { stdout } = await run(dataDir, 'status');
    expect(stdout).toMatch(new RegExp(`live +2024-\\S+ +${dateOf(LAST_DAY)} +1 +12\\.0 s +30\\.0 s +100\\.0 % +- +-`));
    const { predictions } = JSON.parse((await run(dataDir, 'status', '--json')).stdout);
    expect(predictions).toMatchObject({ isPaused: false, sources: [{ source: 'live', pairs: 1, error: 12 }] });
  });
});
