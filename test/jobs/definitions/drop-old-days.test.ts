import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLocks } from '../../../jobs/locks/job-lock.ts';
import { openDuckdb } from '../../../pipeline/effects/duckdb.ts';
import { writeJsonAtomically } from '../../../pipeline/effects/files.ts';
import { listInputs } from '../../../pipeline/history/stop-events/day-inputs.ts';
import { findStopEventManifest, listStopEventDays } from '../../../pipeline/history/stop-events/stop-event-manifest.ts';
import { publishStopEvents } from '../../../pipeline/history/stop-events/stop-event-store.ts';
import { listObservationFiles, listObservedDates } from '../../../pipeline/lake/observations/partition-files.ts';
import { featureManifestFile, featurePartition, predictionPartition } from '../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { addDays, parseServiceDate, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { findFeatureManifest, listFeatureSources } from '../../../pipeline/predictions/learning/feature-store.ts';
import { listPredictedDays } from '../../../pipeline/predictions/measured/evaluate-day.ts';
import { answer, at, endOf, live, observation, openStore, today } from '../../support/worlds/observations.ts';
import { dayFacts, selectRows } from '../../support/worlds/stop-events.ts';
import { fakeEffects, listRuns, runCommand, temporaryFolder } from '../fake-world.ts';

/** Four days with an observation each; the last of them are ten days old. */
const DATES = [0, 1, 2, 3].map((days) => addDays(today, days));
const NOW = `${addDays(today, 13)}T06:00:00Z`;

async function observe(dataDir: string, dates: readonly ServiceDate[], seconds: number): Promise<void> {
  const store = await openStore(dataDir);
  for (const date of dates) {
    const reported = observation({ day: toEpochDay(date), time: at(seconds) });
    await store.append(answer(seconds, { observations: [reported] }));
    await store.append(answer(seconds, { ended: endOf(reported) }));
  }
  await store.flush(at(seconds));
  await store.close();
}

/** Stop events of these days, built from their observations. */
async function finalise(dataDir: string, dates: readonly ServiceDate[], isImport = false): Promise<void> {
  const db = await openDuckdb({ threads: 1 });
  for (const serviceDate of dates) {
    const inputs = await listInputs([], await listObservationFiles(dataDir, live, serviceDate));
    const facts = dayFacts({ sourceId: live, serviceDate, inputs, kind: isImport ? 'import' : 'realtime' });
    await publishStopEvents(db, dataDir, path.join(dataDir, 'tmp', serviceDate), selectRows([{}]), facts);
  }
  db.close();
}

async function world(): Promise<string> {
  const dataDir = await temporaryFolder();
  await observe(dataDir, DATES, 0);
  await finalise(dataDir, DATES);
  return dataDir;
}

const run = (
  dataDir: string,
  keep: { observations?: number; stopEvents?: number; predictions?: number; features?: number; now?: string },
  ...options: string[]
) =>
  runCommand(['run', 'drop-old-days', '--exit-code', ...options], {
    dataDir,
    effects: fakeEffects(keep.now ?? NOW),
    environment: {
      TAKTGEBER_RETENTION_OBSERVATION_DAYS: String(keep.observations ?? 0),
      TAKTGEBER_RETENTION_STOP_EVENT_DAYS: String(keep.stopEvents ?? 0),
      TAKTGEBER_RETENTION_PREDICTION_DAYS: String(keep.predictions ?? 0),
      TAKTGEBER_RETENTION_FEATURE_DAYS: String(keep.features ?? 0),
    },
  });

const left = async (dataDir: string) => [
  (await listObservedDates(dataDir, live)).sort(),
  (await listStopEventDays(dataDir)).map(({ serviceDate }) => serviceDate),
];

describe('the job drop-old-days', () => {
  it('keeps everything forever unless configured otherwise', async () => {
    const dataDir = await world();
    expect(await run(dataDir, {})).toMatchObject({ code: 3, stdout: expect.stringContaining('kept forever') });
    expect(await left(dataDir)).toEqual([DATES, DATES]);
  });

  it('drops old observations, and nothing the second time', async () => {
    const dataDir = await world();
    const { code, stdout } = await run(dataDir, { observations: 11 });
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('dropped 2 days of observations, 0 of stop events and 0 of predictions'),
    ]);
    expect(await left(dataDir)).toEqual([DATES.slice(2), DATES]);
    expect((await run(dataDir, { observations: 11 })).code).toBe(3);
  });

  it('drops only stop events of days without observations', async () => {
    const dataDir = await world();
    expect((await run(dataDir, { stopEvents: 11 })).code).toBe(3);
    await run(dataDir, { observations: 12, stopEvents: 11 });
    expect(await left(dataDir)).toEqual([DATES.slice(1), DATES.slice(1)]);
  });

  it('drops predictions by a separate limit', async () => {
    const dataDir = await world();
    for (const date of DATES) {
      const partition = predictionPartition(dataDir, live, date);
      await mkdir(partition, { recursive: true });
      await writeFile(path.join(partition, 'part.parquet'), '');
    }
    expect((await run(dataDir, { predictions: 11 }, '--dry-run')).stdout).toContain('and 2 of predictions');
    expect((await run(dataDir, { predictions: 11 })).stdout).toContain('and 2 of predictions');
    expect((await listPredictedDays(dataDir)).map(({ serviceDate }) => serviceDate)).toEqual(DATES.slice(2));
    expect(await left(dataDir)).toEqual([DATES, DATES]);
  });

  describe('features', () => {
    /** Features of each source, whose record ended this many days ago; null without a manifest. */
    const place = async (dataDir: string, ends: Readonly<Record<string, number | null>>) => {
      for (const [name, daysAgo] of Object.entries(ends)) {
        const source = toSourceId(name);
        const partition = featurePartition(dataDir, source);
        await mkdir(partition, { recursive: true });
        await writeFile(path.join(partition, 'part-0.parquet'), '');
        if (daysAgo === null) continue;
        const lastDay = addDays(parseServiceDate(NOW.slice(0, 10))!, -daysAgo);
        await writeJsonAtomically(featureManifestFile(dataDir, source), { sourceId: source, lastDay });
      }
    };

    it('of a record that ended are dropped by a separate limit, including partial output of a killed job', async () => {
      const dataDir = await temporaryFolder();
      await place(dataDir, { ended: 31, half: null, recent: 30 });
      const expected = 'and 0 of predictions, features of ended, half';
      expect((await run(dataDir, { features: 30 }, '--dry-run')).stdout).toContain(expected);
      expect(await listFeatureSources(dataDir)).toEqual(['ended', 'half', 'recent']);
      expect((await run(dataDir, { features: 30 })).stdout).toContain(expected);
      expect(await listFeatureSources(dataDir)).toEqual(['recent']);
      expect(await findFeatureManifest(dataDir, toSourceId('ended'))).toBeNull();
      expect((await run(dataDir, { features: 30 })).code).toBe(3);
    });

    it('that would be rebuilt remain, and so do all without a limit', async () => {
      const dataDir = await temporaryFolder();
      await place(dataDir, { live: 14, ended: 15 });
      await run(dataDir, {});
      expect(await listFeatureSources(dataDir)).toEqual(['ended', 'live']);
      await run(dataDir, { features: 1 });
      expect(await listFeatureSources(dataDir)).toEqual(['live']);
    });

    it('are not dropped while they are used for learning', async () => {
      const dataDir = await temporaryFolder();
      await place(dataDir, { ended: 40 });
      const lock = await acquireLocks(dataDir, 'train-predictions', ['models/ended'], fakeEffects(NOW).clock);
      expect(await run(dataDir, { features: 30 })).toMatchObject({
        stderr: expect.stringContaining('train-predictions'),
      });
      // It waits, which is not a failed run.
      expect(await listRuns(dataDir, 'drop-old-days')).toEqual([]);
      await lock.release();
      expect(await listFeatureSources(dataDir)).toEqual(['ended']);
    });

    it('that were partially dropped by a killed run are found by the next run', async () => {
      const dataDir = await temporaryFolder();
      await place(dataDir, { ended: 40 });
      // The manifest is removed first: the state after a kill in between.
      await rm(featureManifestFile(dataDir, toSourceId('ended')));
      expect((await run(dataDir, { features: 30 })).stdout).toContain('features of ended');
      expect(await listFeatureSources(dataDir)).toEqual([]);
    });
  });

  it('lists in a dry run what it would drop', async () => {
    const dataDir = await world();
    const { stdout } = await run(dataDir, { observations: 11, stopEvents: 11 }, '--dry-run');
    expect(stdout).toContain('would drop 2 days of observations, 2 of stop events and 0 of predictions');
    expect(await left(dataDir)).toEqual([DATES, DATES]);
  });

  it.each<[reason: string, spoil: (dataDir: string) => Promise<void>]>([
    ['was never finalised', (dataDir) => finaliseAs(dataDir, 'absent')],
    ['was imported from elsewhere', (dataDir) => finaliseAs(dataDir, 'imported')],
    ['was observed since', (dataDir) => observe(dataDir, [DATES[1]!], 30)],
  ])('stops at a day that %s', async (_case, spoil) => {
    const dataDir = await world();
    await spoil(dataDir);
    const { stdout, stderr } = await run(dataDir, { observations: 1 });
    expect(stdout).toContain(
      'dropped 1 days of observations, 0 of stop events and 0 of predictions; 1 sources are waiting for finalise',
    );
    expect(stderr).toContain(`${DATES[1]} is kept, since its current observations are not finalised yet`);
    expect((await left(dataDir))[0]).toEqual(DATES.slice(1));
  });

  async function finaliseAs(dataDir: string, how: 'absent' | 'imported'): Promise<void> {
    const { removeStopEvents } = await import('../../../pipeline/history/stop-events/stop-event-store.ts');
    if (how === 'absent') await removeStopEvents(dataDir, live, DATES[1]!);
    else await finalise(dataDir, [DATES[1]!], true);
  }

  it('drops no more than two days of age when the clock jumps a year ahead, and none once it is set back', async () => {
    const dataDir = await world();
    expect((await run(dataDir, { observations: 12, stopEvents: 12 })).code).toBe(0);
    expect(await left(dataDir)).toEqual([DATES.slice(1), DATES.slice(1)]);
    const jumped = await run(dataDir, { observations: 12, stopEvents: 12, now: `${addDays(today, 378)}T06:00:00Z` });
    expect(jumped.stderr).toContain('the clock is 363 days ahead of the last run');
    expect(await left(dataDir)).toEqual([DATES.slice(3), DATES.slice(3)]);
    expect((await run(dataDir, { observations: 12, stopEvents: 12 })).code).toBe(3);
    // Years back nothing is too old, and the days count from there.
    expect((await run(dataDir, { observations: 12, now: '2016-03-01T06:00:00Z' })).code).toBe(3);
    expect(await left(dataDir)).toEqual([DATES.slice(3), DATES.slice(3)]);
  });

  it('drops old days of archives too', async () => {
    const dataDir = await temporaryFolder();
    await finalise(dataDir, DATES, true);
    await run(dataDir, { stopEvents: 10 });
    expect(await findStopEventManifest(dataDir, live, DATES[2]!)).toBeNull();
    expect((await left(dataDir))[1]).toEqual(DATES.slice(3));
  });
});
