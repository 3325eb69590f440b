import { type LakeSettings, withEngine } from '../pipeline/lake/observations/write-parts.ts';
import {
  buildSourceFeatures,
  type FeatureOutcome,
  type FeatureRequest,
} from '../pipeline/predictions/learning/build-source-features.ts';
import { type TrainOutcome, type TrainRequest, trainSource } from '../pipeline/predictions/learning/train-source.ts';
import type { JobEffects } from './job.ts';

/** One step of learning, for one source. */
export type LearnRequest = { readonly settings: LakeSettings } & (
  | ({ readonly step: 'features' } & FeatureRequest)
  | ({ readonly step: 'train' } & TrainRequest)
);

/** Learns in this thread; nothing else gets its turn meanwhile. */
export async function learnHere(request: LearnRequest, { log }: Pick<JobEffects, 'log'>) {
  const { dataDir, settings } = request;
  return withEngine(dataDir, settings, async (db, folder): Promise<FeatureOutcome | TrainOutcome> => {
    return request.step === 'features' ? buildSourceFeatures(db, folder, request) : trainSource(db, request, log);
  });
}
