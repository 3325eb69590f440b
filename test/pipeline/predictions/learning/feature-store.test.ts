import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDuckdb } from '../../../../pipeline/effects/duckdb.ts';
import { withPublicationGuard } from '../../../../pipeline/effects/publication-guard.ts';
import {
  findFeatureManifest,
  readFeatures,
  removeFeatures,
} from '../../../../pipeline/predictions/learning/feature-store.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { LIVE, publishOneFeature } from '../../../support/worlds/observed-tables.ts';

it('features stay complete if a job may no longer publish', async () => {
  const dataDir = await temporaryFolder();
  const db = await openDuckdb({ threads: 1 });
  onTestFinished(() => db.close());
  const publish = () => publishOneFeature(db, dataDir, path.join(dataDir, 'tmp', 'features'));
  const manifest = await publish();
  const guard = async () => {
    throw new Error('the locks are lost');
  };
  for (const act of [publish, () => removeFeatures(dataDir, LIVE)]) {
    await expect(withPublicationGuard(guard, async () => void (await act()))).rejects.toThrow('the locks are lost');
    expect(await findFeatureManifest(dataDir, LIVE)).toEqual(manifest);
    expect((await readFeatures(db, dataDir, LIVE)).count).toBe(1);
  }
});
