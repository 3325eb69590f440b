import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listNames } from '../../../../pipeline/effects/files.ts';
import { silentLog } from '../../../../pipeline/effects/log.ts';
import { withEngine } from '../../../../pipeline/lake/observations/write-parts.ts';
import { modelsFolder } from '../../../../pipeline/lake/paths.ts';
import { departAfter } from '../../../../pipeline/predictions/features/dated-trip-table.ts';
import { featureColumns } from '../../../../pipeline/predictions/features/instant-rows.ts';
import { buildSourceFeatures } from '../../../../pipeline/predictions/learning/build-source-features.ts';
import { readFeatures, takeStored } from '../../../../pipeline/predictions/learning/feature-store.ts';
import { listLearningDays, shareOutLearningDays } from '../../../../pipeline/predictions/learning/learning-days.ts';
import {
  findCurrentModel,
  findModel,
  listModelSources,
  type ModelManifest,
  publishModel,
  readModel,
  readTransferBytes,
  writeDelayModel,
} from '../../../../pipeline/predictions/learning/model-store.ts';
import { loadRecordedTrips } from '../../../../pipeline/predictions/learning/recorded-trips.ts';
import { trainModel, trainSource } from '../../../../pipeline/predictions/learning/train-source.ts';
import { KIND_COUNT, trainDelayModel } from '../../../../pipeline/predictions/model/delay-model.ts';
import { LEARN, TEST, VALIDATION } from '../../../../pipeline/predictions/model/share-out-days.ts';
import { estimateTransfer } from '../../../../pipeline/snapshots/transfer-model/transfer-model.ts';
import { readTransferModel } from '../../../../pipeline/snapshots/transfer-model/transfer-model-bytes.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { dateOf, ENGINE, RECORDED, recordRuns } from '../../../support/worlds/recorded-world.ts';
import { FIRST_DAY, makeDatedTripTable, withDelays } from '../../../support/worlds/run-world.ts';
import { observedSide, plainFacts } from '../../../support/worlds/transfer-world.ts';

const DAYS = 12;
const table = makeDatedTripTable(41, { days: DAYS, trains: 24, calls: 10, unknown: 0.02 });
const LAST_DAY = FIRST_DAY + DAYS - 1;

const build = (dataDir: string, over: { isForced?: boolean; isDryRun?: boolean; lastDay?: string } = {}) =>
  withEngine(dataDir, ENGINE, (db, folder) =>
    buildSourceFeatures(db, folder, {
      dataDir,
      source: RECORDED,
      lastDay: (over.lastDay ?? null) as null,
      isForced: over.isForced ?? false,
      isDryRun: over.isDryRun ?? false,
      builtAt: '2026-03-02T04:00:00.000Z',
    }),
  );
const train = (dataDir: string, over: { isForced?: boolean; isDryRun?: boolean } = {}) =>
  withEngine(dataDir, ENGINE, (db) =>
    trainSource(
      db,
      {
        dataDir,
        source: RECORDED,
        isForced: over.isForced ?? false,
        isDryRun: over.isDryRun ?? false,
        trainedAt: '2026-03-02T04:10:00.000Z',
      },
      silentLog,
    ),
  );

describe('the record of a source', () => {
  const recordAll = async () => {
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, table, LAST_DAY);
    return dataDir;
  };

  it('round-trips; without a reported departure the dwell time is the minimum', async () => {
    const dataDir = await recordAll();
    const days = await listLearningDays(dataDir, RECORDED, null);
    expect(days.map(({ serviceDate }) => serviceDate)).toEqual(
      Array.from({ length: DAYS }, (_, day) => dateOf(FIRST_DAY + day)),
    );
    const recorded = await withEngine(dataDir, ENGINE, (db) => loadRecordedTrips(db, dataDir, RECORDED, days));
    const read = recorded.table;
    expect([read.datedTripCount, read.stop.length]).toEqual([table.datedTripCount, table.stop.length]);
    // Trips are sorted by name there, by number here.
    const nameOf = (datedTrip: number) => `${table.serviceDay[datedTrip]} t${table.train[datedTrip]}`;
    const here = new Map(
      Array.from({ length: table.datedTripCount }, (_, datedTrip) => [nameOf(datedTrip), datedTrip]),
    );
    for (let datedTrip = 0; datedTrip < read.datedTripCount; datedTrip++) {
      const other = here.get(`${read.serviceDay[datedTrip]} ${recorded.trips[datedTrip]}`)!;
      const [start, from] = [read.callStart[datedTrip]!, table.callStart[other]!];
      const count = read.callStart[datedTrip + 1]! - start;
      for (let i = 0; i < count; i++) {
        const [call, reported] = [start + i, from + i];
        expect(recorded.stops[read.stop[call]!]).toBe(`s${table.stop[reported]}`);
        expect(read.scheduledArrival[call]).toBe(
          i === 0 ? table.scheduledDeparture[reported] : table.scheduledArrival[reported],
        );
        if (i === 0) continue;
        expect(read.arrivalDelay[call]).toBe(table.arrivalDelay[reported]);
        if (i === count - 1) continue;
        const left = table.departureDelay[reported]!;
        const filled = departAfter(
          table.arrivalDelay[reported]!,
          table.scheduledArrival[reported]!,
          table.scheduledDeparture[reported]!,
        );
        expect(read.departureDelay[call]).toBe(Number.isNaN(left) ? filled : left);
      }
    }
  });

  it('has final forecasts in place of missing observations if requested, for training only', async () => {
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, table, LAST_DAY, { isForecast: (call) => call % 4 === 1 });
    const days = await listLearningDays(dataDir, RECORDED, null);
    await withEngine(dataDir, ENGINE, async (db) => {
      const without = await loadRecordedTrips(db, dataDir, RECORDED, days);
      const { table: all, forecasts } = await loadRecordedTrips(db, dataDir, RECORDED, days, true);
      let used = 0;
      for (let call = 0; call < all.stop.length; call++) {
        const isMissing = Number.isNaN(without.table.arrivalDelay[call]) && !Number.isNaN(all.arrivalDelay[call]);
        if (isMissing) used++;
        else expect(all.arrivalDelay[call]).toEqual(without.table.arrivalDelay[call]);
        if (isMissing) expect(forecasts.isForecast[call]).toBe(1);
      }
      expect(used).toBeGreaterThan(all.stop.length / 8);
      expect([...without.forecasts.isForecast].some((one) => one === 1)).toBe(false);
      expect(forecasts.weight).toBe(0.5);
    });
  });

  it('is read up to a day, and only where events were observed', async () => {
    const dataDir = await recordAll();
    const other = await temporaryFolder();
    const silent = withDelays(
      table,
      table.arrivalDelay.map(() => Number.NaN),
      table.departureDelay.map(() => Number.NaN),
    );
    await recordRuns(other, silent, FIRST_DAY + 1);
    expect(await listLearningDays(other, RECORDED, null)).toEqual([]);
    const days = await listLearningDays(dataDir, RECORDED, dateOf(FIRST_DAY + 4));
    expect(days.at(-1)!.serviceDate).toBe(dateOf(FIRST_DAY + 4));
  });

  it.each([
    [42, [10, 32, 39]],
    [12, [3, 9, 11]],
    [6, [2, 4, 5]],
  ])('of %i days is divided', (count, [learn, judge, compared]) => {
    const days = Array.from({ length: count }, (_, day) => ({
      serviceDate: dateOf(FIRST_DAY + day),
      calls: 1,
      rowsHash: '',
    }));
    expect(shareOutLearningDays(days)).toEqual({
      learnFrom: FIRST_DAY + learn!,
      validationFrom: FIRST_DAY + judge!,
      testFrom: FIRST_DAY + compared!,
      testTo: FIRST_DAY + count - 1,
    });
    expect(() => shareOutLearningDays(days.slice(0, 3))).toThrow('at least 4');
  });
});

describe('features and models', () => {
  it('are built once for the same days, and again when a day is added', async () => {
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, table, LAST_DAY - 1);
    expect(await train(dataDir)).toEqual({ kind: 'unfit' });
    expect(await build(dataDir, { isDryRun: true })).toEqual({ kind: 'due', days: DAYS - 1 });
    const built = await build(dataDir);
    expect(built).toMatchObject({ kind: 'built', manifest: { lastDay: dateOf(LAST_DAY - 1), gridSeconds: 1 } });
    expect(await build(dataDir)).toMatchObject({ kind: 'unchanged' });
    expect(await train(dataDir, { isDryRun: true })).toEqual({ kind: 'due' });

    const first = await train(dataDir);
    expect(first).toMatchObject({ kind: 'trained', manifest: { comparison: { before: null, kept: 'trained' } } });
    expect(await train(dataDir)).toMatchObject({ kind: 'unchanged' });
    const { comparison } = (first as { manifest: ModelManifest }).manifest;
    expect(comparison.trained).toBeLessThan(comparison.persistence);
    expect(comparison.covered).toBeGreaterThan(0.7);

    await recordRuns(dataDir, table, LAST_DAY);
    expect(await build(dataDir)).toMatchObject({ kind: 'built', manifest: { lastDay: dateOf(LAST_DAY) } });
    const second = await train(dataDir);
    expect(second).toMatchObject({ kind: 'trained', manifest: { lastDay: dateOf(LAST_DAY) } });
    expect((second as { manifest: ModelManifest }).manifest.comparison.before).toBeGreaterThan(0);
    expect(await listModelSources(dataDir)).toEqual([RECORDED]);
  });

  it('report when there is too little to learn from', async () => {
    const dataDir = await temporaryFolder();
    expect(await build(dataDir)).toEqual({ kind: 'unfit', reason: 'nothing was observed' });
    await recordRuns(dataDir, table, FIRST_DAY + 2);
    expect(await build(dataDir)).toMatchObject({ kind: 'unfit', reason: expect.stringContaining('3 days') });
  });

  it('of the lake are those that were made', async () => {
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, table, LAST_DAY);
    await build(dataDir);
    const stored = await withEngine(dataDir, ENGINE, (db) => readFeatures(db, dataDir, RECORDED));
    expect([...new Set(stored.role)].sort()).toEqual([LEARN, VALIDATION, TEST]);
    const learn = takeStored(stored, LEARN);
    const place = learn.places[5]!;
    const width = featureColumns.length;
    expect(learn.values.slice(5 * width, 6 * width)).toEqual(stored.values.slice(place * width, (place + 1) * width));
    expect(stored.values[place * width + featureColumns.indexOf('current_delay')]).toBe(stored.current[place]);
    for (let pair = 0; pair < stored.count; pair++) {
      expect(stored.knownAt[pair]).toBeGreaterThan(stored.requestedAt[pair]!);
    }
  });
});

describe('a new model', () => {
  it('is not used if it is worse on the last days than the previous one', async () => {
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, table, LAST_DAY);
    await build(dataDir);
    const stored = await withEngine(dataDir, ENGINE, (db) => readFeatures(db, dataDir, RECORDED));
    const before = trainModel(stored, 1, null);
    expect(before.comparison.kept).toBe('trained');
    // The training data is nonsense this time; the last days are not.
    const spoilt = {
      ...stored,
      truth: stored.truth.map((truth, i) => (stored.role[i] === TEST ? truth : 5000 - truth)),
    };
    const { model, comparison } = trainModel(spoilt, 1, before.model);
    expect(comparison).toMatchObject({ kept: 'before', before: before.comparison.trained });
    expect(comparison.trained).toBeGreaterThan(before.comparison.trained);
    expect(model).toBe(before.model);
    // Six days are not divided, twelve are.
    expect(before.older).toBeNull();
    const serviceDay = stored.serviceDay.map((day, i) => (stored.role[i] === LEARN ? FIRST_DAY - (i % 12) : day));
    // A model that counts delays differently cannot be evaluated.
    const { comparison: other, older } = trainModel({ ...stored, serviceDay }, 1, { ...before.model, gridSeconds: 60 });
    expect(other.before).toBeNull();
    expect(older?.from).toBe(FIRST_DAY - 5);
  });
});

describe('the transfers of a record', () => {
  it('are learnt with the delays, and published with their model', async () => {
    const busy = makeDatedTripTable(43, { days: DAYS, trains: 60, calls: 10, unknown: 0.02 });
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, busy, LAST_DAY, { stationOf: (stop) => `h${stop % 4}` });
    await build(dataDir);
    const outcome = await train(dataDir);
    if (outcome.kind !== 'trained') throw new Error(outcome.kind);
    const { manifest } = outcome;
    expect(manifest.transfers!.learntCases).toBeGreaterThan(2000);
    const model = readTransferModel((await readTransferBytes(dataDir, manifest))!)!;
    const estimateAt = (delaySeconds: number) =>
      estimateTransfer(model, { ...plainFacts, arrival: observedSide(delaySeconds) })!;
    expect(Math.abs(estimateAt(0).probability - manifest.transfers!.held)).toBeLessThan(0.1);
    expect(estimateAt(900).probability).toBeLessThanOrEqual(estimateAt(0).probability);
    expect(estimateAt(0).sampleSize).toBeGreaterThanOrEqual(200);
    const file = path.join(modelsFolder(dataDir), `source=${RECORDED}`, manifest.id, 'transfers.bin');
    await writeFile(file, 'x');
    await expect(readTransferBytes(dataDir, manifest)).rejects.toThrow('was damaged');
  });

  it('are not learnt if they are few', async () => {
    const dataDir = await temporaryFolder();
    await recordRuns(dataDir, table, LAST_DAY);
    await build(dataDir);
    const outcome = await train(dataDir);
    expect(outcome).toMatchObject({ kind: 'trained', manifest: { transfers: null } });
    expect(await readTransferBytes(dataDir, (outcome as { manifest: ModelManifest }).manifest)).toBeNull();
  });
});

describe('the store of models', () => {
  const columns = ['a'];
  const rows = (seed: number) => ({
    values: Float32Array.from({ length: 400 }, (_, i) => (i * seed) % 17),
    current: new Float32Array(400),
    truth: Float32Array.from({ length: 400 }, (_, i) => (i * seed) % 17),
  });
  const bytesOf = (seed: number) => writeDelayModel(trainDelayModel(columns, rows(seed), rows(seed), 1));
  const facts = (lastDay: string) => ({
    sourceId: RECORDED,
    lastDay: lastDay as never,
    learntUntil: lastDay as never,
    trainedAt: '',
    featuresHash: 'h',
    learntPairs: 1,
    shifts: Array.from({ length: KIND_COUNT }, () => ({ down: 0, up: 0 })),
    comparison: { pairs: 1, persistence: 2, trained: 1, before: null, covered: 0.8, kept: 'trained' as const },
    transfers: null,
  });

  it('keeps the current one and the four before it', async () => {
    const dataDir = await temporaryFolder();
    expect(await findCurrentModel(dataDir, RECORDED)).toBeNull();
    const bytes = bytesOf(3);
    for (let day = 1; day <= 8; day++)
      await publishModel(dataDir, { delays: bytes, transfers: null }, facts(`2026-03-0${day}`));
    const names = (await listNames(path.join(modelsFolder(dataDir), `source=${RECORDED}`))).sort();
    expect(names.map((name) => name.slice(0, 10))).toEqual([
      ...[4, 5, 6, 7, 8].map((day) => `2026-03-0${day}`),
      'current.js',
    ]);
    expect(await findCurrentModel(dataDir, RECORDED)).toMatchObject({ lastDay: '2026-03-08' });
  });

  it('is read as it was written, and rejected if it was damaged or is of another version', async () => {
    const dataDir = await temporaryFolder();
    const manifest = await publishModel(dataDir, { delays: bytesOf(5), transfers: null }, facts('2026-03-01'));
    expect((await readModel(dataDir, manifest)).model.columns).toEqual(columns);
    await expect(readModel(dataDir, { ...manifest, shifts: [] })).rejects.toThrow('another version');
    const file = path.join(modelsFolder(dataDir), `source=${RECORDED}`, manifest.id, 'model.bin');
    await writeFile(file, 'x');
    await expect(readModel(dataDir, manifest)).rejects.toThrow('was damaged');
    await rm(path.dirname(file), { recursive: true });
    expect(await findCurrentModel(dataDir, RECORDED)).toBeNull();
  });

  it('counts as absent if its features had other rules', async () => {
    const dataDir = await temporaryFolder();
    const { id } = await publishModel(dataDir, { delays: bytesOf(5), transfers: null }, facts('2026-03-01'));
    const file = path.join(modelsFolder(dataDir), `source=${RECORDED}`, id, 'manifest.json');
    const { featureRules, ...manifest } = JSON.parse(await readFile(file, 'utf8'));
    for (const former of [{ ...manifest, featureRules: featureRules - 1 }, manifest]) {
      await writeFile(file, JSON.stringify(former));
      expect(await findCurrentModel(dataDir, RECORDED)).toBeNull();
      expect(await findModel(dataDir, RECORDED, id)).toMatchObject({ id });
    }
  });
});
