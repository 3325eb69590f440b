import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { ExternalError } from '../../effects/external-error.ts';
import { findJson, writeJsonAtomically } from '../../effects/files.ts';
import type { WriteCondition } from '../../effects/object-store/object-store.ts';
import { isNotedOf, type StoreIdentity, stateFolder } from './local-state.ts';
import type { StoreContext } from './store-context.ts';

/** An entity tag that no object has. */
const OTHER_ETAG = '"00000000000000000000000000000000"';

/**
 * Tries once for a data folder whether the store keeps conditions of writes. One that takes no notice of them lets writers
 * overwrite each other's trees, without an error anywhere.
 * @throws ExternalError `store_unfit`; those of the store
 */
export async function assertConditions(context: StoreContext): Promise<void> {
  const { dataDir, store, signal } = context;
  const file = path.join(stateFolder(dataDir), 'conditions.json');
  if (isNotedOf(await findJson<StoreIdentity>(file), store)) return;
  const key = `conditions-${randomUUID()}.txt`;
  try {
    // One that was written although its answer was lost is refused when it is repeated: that is as good.
    await isRefused(context, key, 'absent');
    for (const condition of ['absent', { etag: OTHER_ETAG }] as const) {
      if (!(await isRefused(context, key, condition))) throw unfitError(context, condition);
    }
  } finally {
    await store.remove(key, signal);
  }
  await writeJsonAtomically(file, { url: store.url, endpoint: store.endpoint });
}

async function isRefused({ store, signal }: StoreContext, key: string, condition: WriteCondition): Promise<boolean> {
  try {
    await store.put(key, Buffer.from('written to try conditions\n'), condition, signal);
    return false;
  } catch (error) {
    if (error instanceof ExternalError && error.code === 'write_lost') return true;
    throw error;
  }
}

function unfitError({ store }: StoreContext, condition: WriteCondition): ExternalError {
  const header = condition === 'absent' ? 'If-None-Match' : 'If-Match';
  const sentence = `the object store ${store.url} ignores ${header}, so writers would overwrite each other`;
  return new ExternalError('store_unfit', `${sentence}: use a store, or a version of it, with conditional writes`);
}
