import type { LakeSettings } from '../../lake/observations/write-parts.ts';
import { withEngine } from '../../lake/observations/write-parts.ts';
import type { SourceId } from '../../model/ids.ts';
import { listLearningDays } from '../learning/learning-days.ts';
import { findCurrentModel, type ModelManifest, readModel } from '../learning/model-store.ts';
import { loadRecordedRuns } from '../learning/recorded-runs.ts';
import { Forecaster } from './forecaster.ts';

/** How many days of a source's traffic may come on top of its record, and how many calls at the least. */
const ROOM_DAYS = 3;
const LEAST_ROOM = 50_000;

/** Sources that have a model, in the given order, with the models that are current. */
export async function listCurrentModels(dataDir: string, sources: readonly SourceId[]): Promise<ModelManifest[]> {
  const models: ModelManifest[] = [];
  for (const source of sources) {
    const manifest = await findCurrentModel(dataDir, source);
    if (manifest) models.push(manifest);
  }
  return models;
}

/**
 * Reads models and the records behind them, as far as the record goes by now.
 * @throws WorldError `model_damaged`
 */
export async function openForecasters(
  dataDir: string,
  models: readonly ModelManifest[],
  settings: LakeSettings,
): Promise<Map<SourceId, Forecaster>> {
  const forecasters = new Map<SourceId, Forecaster>();
  await withEngine(dataDir, settings, async (db) => {
    for (const manifest of models) {
      const { sourceId } = manifest;
      const days = await listLearningDays(dataDir, sourceId, null);
      const recorded = await loadRecordedRuns(db, dataDir, sourceId, days);
      const busiest = days.reduce((most, { calls }) => Math.max(most, calls), 0);
      const calls = Math.max(LEAST_ROOM, ROOM_DAYS * busiest);
      const room = { runs: Math.ceil(calls / 2), calls };
      forecasters.set(sourceId, new Forecaster(await readModel(dataDir, manifest), recorded, room));
    }
  });
  return forecasters;
}
