import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import type { StoreSettings } from '../../pipeline/effects/object-store/object-store.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';

/**
 * Timeout of requests for trees by loops that follow or publish every second: a hanging request would block everything
 * after it.
 */
export const TREE_TIMEOUT_SECONDS = 5;

/**
 * Opens the configured store, without a request. The client is loaded here.
 * @throws UsageError if none is configured, or only half of its credentials
 */
export async function openConfiguredStore(
  {
    dataDir,
    store,
  }: { readonly dataDir: string; readonly store: Config['store'] & Pick<StoreSettings, 'treeTimeoutSeconds'> },
  effects: Pick<Effects, 'clock' | 'log' | 'sleep'>,
  signal?: AbortSignal,
): Promise<StoreContext> {
  const { url, accessKeyId, secretAccessKey, concurrency, keepGarbageHours } = store;
  if (url === null) throw new UsageError('no object store is configured: set store.url');
  if ((accessKeyId === null) !== (secretAccessKey === null)) {
    throw new UsageError('store.accessKeyId and store.secretAccessKey belong together: set both or none');
  }
  const { openS3Store } = await import('../../pipeline/effects/object-store/s3-store.ts');
  const opened = await openS3Store({ ...store, url }, effects);
  return { store: opened, dataDir, concurrency, keepGarbageHours, effects, ...(signal ? { signal } : {}) };
}
