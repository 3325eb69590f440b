import type { Log } from '../../effects/log.ts';
import { serveThread } from '../../effects/threads.ts';
import { type LakeSettings, withEngine } from '../../lake/observations/write-parts.ts';
import { buildSourceFeatures, type FeatureOutcome, type FeatureRequest } from './build-source-features.ts';
import { type TrainOutcome, type TrainRequest, trainSource } from './train-source.ts';

/** One step of learning, for one source. */
export type LearnRequest = { readonly settings: LakeSettings } & (
  | ({ readonly step: 'features' } & FeatureRequest)
  | ({ readonly step: 'train' } & TrainRequest)
);
export type LearnOutcome = FeatureOutcome | TrainOutcome;

/** Learns in this thread and blocks it meanwhile. */
export async function learnSource(request: LearnRequest, { log }: { readonly log: Log }): Promise<LearnOutcome> {
  const { dataDir, settings } = request;
  return withEngine(dataDir, settings, async (db, folder) => {
    return request.step === 'features' ? buildSourceFeatures(db, folder, request) : trainSource(db, request, log);
  });
}

/** A thread, because learning takes a minute and more, which must not delay requests. */
serveThread(import.meta.url, (request: LearnRequest, { effects, signal }) =>
  learnSource({ ...request, settings: { ...request.settings, signal } }, effects),
);
