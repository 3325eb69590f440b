import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import type { ListedObject, ObjectStore, WriteCondition } from '../../../pipeline/effects/object-store/object-store.ts';

export interface MemoryObjectStore extends ObjectStore {
  readonly objects: Map<string, { bytes: Buffer; etag: string; modified: number }>;
  /** Calls so far, each with its key. */
  readonly calls: string[];
  /** Runs before each call, which fails with what it throws. */
  before: (call: string) => void | Promise<void>;
  /** Runs after a call has taken effect. */
  after: (call: string) => void;
  now: () => number;
}

/** An object store in memory, with a hook before and after each call. */
export function memoryObjectStore(url = 's3://bucket/prefix', endpoint: string | null = null): MemoryObjectStore {
  const objects: MemoryObjectStore['objects'] = new Map();
  const counts = { gets: 0, puts: 0, lists: 0, deletes: 0, sentBytes: 0, receivedBytes: 0 };
  const calls: string[] = [];
  const around = async <Result>(call: string, task: () => Result | Promise<Result>): Promise<Result> => {
    calls.push(call);
    await store.before(call);
    const result = await task();
    store.after(call);
    return result;
  };
  const write = (key: string, bytes: Buffer, condition: WriteCondition): string => {
    const found = objects.get(key);
    const isMet = condition === null || (condition === 'absent' ? !found : found?.etag === condition.etag);
    if (!isMet) throw new ExternalError('write_lost', `another writer was faster at ${key}`, { isRetryable: true });
    counts.puts++;
    counts.sentBytes += bytes.length;
    const etag = createHash('md5').update(bytes).digest('hex');
    objects.set(key, { bytes, etag, modified: store.now() });
    return etag;
  };
  const store: MemoryObjectStore = {
    url,
    endpoint,
    counts,
    objects,
    calls,
    before: () => {},
    after: () => {},
    now: () => Date.now(),
    get: (key, ifNoneMatch = null) =>
      around(`get ${key}`, () => {
        counts.gets++;
        const found = objects.get(key);
        if (!found) return null;
        return found.etag === ifNoneMatch ? 'unchanged' : { bytes: found.bytes, etag: found.etag };
      }),
    download: (key, file) =>
      around(`download ${key}`, async () => {
        counts.gets++;
        const found = objects.get(key);
        if (!found) return null;
        await writeFile(file, found.bytes);
        counts.receivedBytes += found.bytes.length;
        return { sha256: createHash('sha256').update(found.bytes).digest('hex'), bytes: found.bytes.length };
      }),
    put: (key, content, condition) => around(`put ${key}`, () => write(key, Buffer.from(content), condition)),
    upload: (key, file, sha256, condition) =>
      around(`upload ${key}`, async () => {
        const bytes = await readFile(file);
        if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
          throw new ExternalError('file_changed', `${file} changed`, { isRetryable: true });
        }
        write(key, bytes, condition);
      }),
    find: (key) =>
      around(`find ${key}`, () => {
        const found = objects.get(key);
        return found ? { bytes: found.bytes.length, etag: found.etag, modified: found.modified } : null;
      }),
    remove: (key) =>
      around(`remove ${key}`, () => {
        counts.deletes++;
        objects.delete(key);
      }),
    list: async function* (prefix): AsyncGenerator<ListedObject> {
      counts.lists++;
      await around(`list ${prefix}`, () => {});
      for (const key of [...objects.keys()].filter((one) => one.startsWith(prefix)).sort()) {
        const { bytes, etag, modified } = objects.get(key)!;
        yield { key, bytes: bytes.length, etag, modified };
      }
    },
    close: () => {},
  };
  return store;
}
