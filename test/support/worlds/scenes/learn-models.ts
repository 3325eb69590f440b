import path from 'node:path';
import { sampleSourceOf } from '../../../../jobs/definitions/sample-sources.ts';
import type { Duckdb } from '../../../../pipeline/effects/duckdb.ts';
import { listNames } from '../../../../pipeline/effects/files.ts';
import { silentLog } from '../../../../pipeline/effects/log.ts';
import { findMapping } from '../../../../pipeline/history/archives/find-mapping.ts';
import { importArchive } from '../../../../pipeline/history/archives/import-archive.ts';
import { hashFile } from '../../../../pipeline/history/archives/read-archive.ts';
import { withEngine } from '../../../../pipeline/lake/observations/write-parts.ts';
import type { SourceId } from '../../../../pipeline/model/ids.ts';
import { addDays, type Instant, serviceDayStart } from '../../../../pipeline/model/service-time.ts';
import { buildSourceFeatures } from '../../../../pipeline/predictions/learning/build-source-features.ts';
import { listLearningDays } from '../../../../pipeline/predictions/learning/learning-days.ts';
import {
  findCurrentModel,
  readModel,
  readTransferBytes,
  type StoredModel,
} from '../../../../pipeline/predictions/learning/model-store.ts';
import { loadRecordedTrips, type RecordedTrips } from '../../../../pipeline/predictions/learning/recorded-trips.ts';
import { trainSource } from '../../../../pipeline/predictions/learning/train-source.ts';
import { TrainedForecaster } from '../../../../pipeline/predictions/live/trained-forecaster.ts';
import { TripPredictor } from '../../../../pipeline/predictions/live/trip-predictor.ts';
import { type SamplePublisher, samplePublishers } from '../../../../pipeline/sample/feed/publishers.ts';
import type { Breakdown } from '../../../../pipeline/sample/simulator/breakdowns.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import type { PlannedTrip } from '../../../../pipeline/sample/simulator/planned-trip.ts';
import { seededRandom, wholeBetween } from '../../../../pipeline/sample/simulator/seeded-random.ts';
import { SAMPLE_ZONE } from '../../../../pipeline/sample/simulator/service-day.ts';
import { writePast } from '../../../../pipeline/sample/write-past.ts';
import { type SceneCountry, TIMETABLE_SEED } from './open-scene-country.ts';

/** The model of one source, and the record on which its predictions are based. */
interface SceneModel {
  readonly stored: StoredModel;
  /** Serialised model of transfers between its trips; null if too few were observed. */
  readonly transfers: Uint8Array | null;
  readonly recorded: RecordedTrips;
}

export type SceneModels = ReadonlyMap<SourceId, SceneModel>;

const ENGINE = { memoryLimit: '1GB', threads: 1 };

/**
 * Trains models on the days before those of the country, as the demo does: archives are written and imported, and a
 * model is trained for each source. They stay in the folder of the country.
 * @param days 6 at least
 * @param publishers of whose trips models are trained; trips of others are not predicted
 */
export async function learnModels(
  country: SceneCountry,
  days: number,
  publishers: readonly SamplePublisher[] = samplePublishers,
): Promise<SceneModels> {
  await writePastDays(country, days);
  for (const publisher of publishers) await learnPublisher(country, publisher);
  return loadModels(country, publishers);
}

/** Writes the archives of the days before those of the country. */
export async function writePastDays({ dataDir, lookups, today }: SceneCountry, days: number): Promise<void> {
  const simulator = createSimulator(lookups, { seed: TIMETABLE_SEED, findBreakdown: drawBreakdown });
  const dates = Array.from({ length: days }, (_, i) => addDays(today, i - days));
  // By then the last vehicles of the previous day have arrived.
  const now = (serviceDayStart(today, SAMPLE_ZONE) + 12 * 3600) as Instant;
  await writePast(simulator, { folder: pastFolder(dataDir), dates, now }, new AbortController().signal);
}

const pastFolder = (dataDir: string) => path.join(dataDir, 'past');

/** Reads the models that were trained in the folder of a country, also by another process. */
export async function loadModels(
  { dataDir }: Pick<SceneCountry, 'dataDir'>,
  publishers: readonly SamplePublisher[] = samplePublishers,
): Promise<SceneModels> {
  const models = new Map<SourceId, SceneModel>();
  for (const publisher of publishers) {
    const source = sampleSourceOf(publisher);
    models.set(source, await withEngine(dataDir, ENGINE, (db) => loadModel(db, dataDir, source)));
  }
  return models;
}

async function loadModel(db: Duckdb, dataDir: string, source: SourceId): Promise<SceneModel> {
  const manifest = await findCurrentModel(dataDir, source);
  if (!manifest) throw new Error(`no model was trained for ${source}`);
  const recorded = await loadRecordedTrips(db, dataDir, source, await listLearningDays(dataDir, source, null));
  const stored = await readModel(dataDir, manifest);
  return { stored, transfers: await readTransferBytes(dataDir, manifest), recorded };
}

/** Trains break down on past days as in scenes, but rarely: a model cannot learn what no record contains. */
const BROKEN_SHARE = 0.02;
const STANDSTILL_MINUTES = { least: 2, most: 35 };

function drawBreakdown({ key, line, times }: PlannedTrip): Breakdown | null {
  const { mode } = line.timetable.line;
  const random = seededRandom(TIMETABLE_SEED, `breakdown ${key}`);
  if ((mode !== 'rail' && mode !== 's_bahn') || random() >= BROKEN_SHARE) return null;
  const minutes = wholeBetween(random, STANDSTILL_MINUTES.least, STANDSTILL_MINUTES.most);
  return { call: wholeBetween(random, 1, times.length - 1), seconds: minutes * 60 };
}

/** Imports the archives of a publisher, and trains the model of its source. */
export async function learnPublisher(
  { dataDir, today }: Pick<SceneCountry, 'dataDir' | 'today'>,
  publisher: SamplePublisher,
): Promise<void> {
  const source = sampleSourceOf(publisher);
  const builtAt = `${today}T04:00:00.000Z`;
  const order = { dataDir, source, isForced: false, isDryRun: false };
  const folder = path.join(pastFolder(dataDir), publisher);
  const archives = (await listNames(folder)).sort().map((name) => path.join(folder, name));
  await withEngine(dataDir, ENGINE, async (db, workDir) => {
    const { mapping, hash: mappingHash } = await findMapping('sample', '/');
    for (const file of archives) {
      const named = { archiveName: path.basename(file), archiveHash: await hashFile(file) };
      const facts = { dataDir, source, mapping, mappingHash, ...named, builtAt };
      const task = { facts, file, from: null, to: null, isDryRun: false, isForced: false };
      await importArchive(db, workDir, task, silentLog);
    }
    await buildSourceFeatures(db, workDir, { ...order, lastDay: null, builtAt });
    const trained = await trainSource(db, { ...order, trainedAt: builtAt }, silentLog);
    if (!('manifest' in trained)) throw new Error(`no model was trained for ${source}: ${trained.kind}`);
  });
}

/** A predictor for each source that uses only the record. */
export function openPredictors(models: SceneModels): ReadonlyMap<SourceId, TripPredictor> {
  return new Map(
    [...models].map(([source, { stored, recorded }]) => {
      // One day more than was recorded.
      const { datedTripCount, stop } = recorded.table;
      return [
        source,
        new TripPredictor(source, new TrainedForecaster(stored), recorded, {
          datedTrips: datedTripCount,
          calls: stop.length,
        }),
      ];
    }),
  );
}
