import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isThere } from '../../../pipeline/effects/files.ts';
import { type ObjectStore, PART_BYTES } from '../../../pipeline/effects/object-store/object-store.ts';
import { openS3Store } from '../../../pipeline/effects/object-store/s3-store.ts';
import { type S3Fault, type S3Server, startS3Server } from '../../support/fakes/s3-server.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';

let server: S3Server;
let store: ObjectStore;

/** Waits cost no time, and no clock moves. */
const effects = { clock: { nowMilliseconds: () => 0 }, sleep: async () => {}, random: () => 0.5 };

beforeEach(async () => {
  server = await startS3Server();
  store = await openS3Store(server.settings({ timeoutSeconds: 3 }), effects);
});

afterEach(async () => {
  store.close();
  await server.close();
});

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

async function fileOf(content: Uint8Array): Promise<string> {
  const file = path.join(await temporaryFolder(), 'content');
  await writeFile(file, content);
  return file;
}

/** The first requests that match have the fault. */
function failFirst(times: number, fault: S3Fault, matches: (method: string) => boolean = () => true) {
  let left = times;
  server.fault = ({ method }) => (matches(method) && left-- > 0 ? fault : null);
}

describe('objects of an S3 store', () => {
  it('round-trip through the store', async () => {
    const etag = await store.put('trees/a.json', Buffer.from('one'), null);
    expect(await store.get('trees/a.json')).toEqual({ bytes: Buffer.from('one'), etag });
    expect(await store.get('trees/a.json', etag)).toBe('unchanged');
    expect(await store.get('trees/b.json')).toBeNull();
    expect(await store.find('trees/a.json')).toMatchObject({ bytes: 3, etag });
    expect(await store.find('trees/b.json')).toBeNull();
    await store.remove('trees/a.json');
    await store.remove('trees/a.json');
    expect(await store.get('trees/a.json')).toBeNull();
    expect([...server.objects.keys()]).toEqual([]);
  });

  it('are below the prefix, and are listed in pages', async () => {
    const keys = Array.from({ length: 230 }, (_, i) => `trees/${String(i).padStart(3, '0')}.json`);
    for (const key of keys) await store.put(key, Buffer.from(key), null);
    await store.put('other/x', Buffer.from('x'), null);
    expect([...server.objects.keys()].every((key) => key.startsWith('test/'))).toBe(true);
    const listed: string[] = [];
    for await (const { key } of store.list('trees/')) listed.push(key);
    expect(listed).toEqual(keys);
  });

  it('are written on a condition', async () => {
    const lost = { code: 'write_lost', isRetryable: true };
    const first = await store.put('key', Buffer.from('1'), 'absent');
    await expect(store.put('key', Buffer.from('2'), 'absent')).rejects.toMatchObject(lost);
    const second = await store.put('key', Buffer.from('2'), { etag: first });
    await expect(store.put('key', Buffer.from('3'), { etag: first })).rejects.toMatchObject(lost);
    await store.remove('key');
    await expect(store.put('key', Buffer.from('3'), { etag: second })).rejects.toMatchObject(lost);
  });

  it.each([0, 1, 1000, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 7])('are files of %i bytes', async (bytes) => {
    const content = Buffer.alloc(bytes, 'taktgeber');
    const file = await fileOf(content);
    await store.upload('big', file, sha256(content), 'absent');
    expect(server.objects.get('test/big')?.bytes.equals(content)).toBe(true);
    const copy = `${file}.copy`;
    expect(await store.download('big', copy)).toEqual({ sha256: sha256(content), bytes });
    expect((await readFile(copy)).equals(content)).toBe(true);
    await expect(store.upload('big', file, sha256(content), 'absent')).rejects.toMatchObject({ code: 'write_lost' });
    expect(server.uploads.size).toBe(0);
  });

  it('leave no part of a failed upload', async () => {
    const file = await fileOf(Buffer.alloc(PART_BYTES + 5, 1));
    await expect(store.upload('big', file, '0'.repeat(64), null)).rejects.toMatchObject({ code: 'file_changed' });
    failFirst(1000, { kind: 'status', status: 500, code: 'InternalError' }, (method) => method === 'PUT');
    const hash = sha256(await readFile(file));
    await expect(store.upload('big', file, hash, null)).rejects.toMatchObject({ code: 'store_unreachable' });
    expect(server.uploads.size).toBe(0);
    expect(server.objects.size).toBe(0);
  });

  it('that do not exist leave no file', async () => {
    const file = path.join(await temporaryFolder(), 'none');
    expect(await store.download('none', file)).toBeNull();
    expect(await isThere(file)).toBe(false);
  });
});

describe('a store that fails for a while', () => {
  const passing: readonly [string, S3Fault][] = [
    ['500', { kind: 'status', status: 500, code: 'InternalError' }],
    ['503', { kind: 'status', status: 503, code: 'SlowDown' }],
    ['429', { kind: 'status', status: 429, code: 'TooManyRequests' }],
    ['409', { kind: 'status', status: 500, code: 'OperationAborted' }],
    ['a lost connection', { kind: 'cut' }],
  ];

  it.each(passing)('with %s is retried', async (_name, fault) => {
    await store.put('key', Buffer.from('content'), null);
    failFirst(2, fault);
    expect(await store.get('key')).toMatchObject({ bytes: Buffer.from('content') });
    failFirst(2, fault);
    await store.put('other', Buffer.from('x'), 'absent');
    failFirst(2, fault);
    const file = await fileOf(Buffer.alloc(10));
    await store.upload('third', file, sha256(Buffer.alloc(10)), 'absent');
    failFirst(2, fault);
    expect(await store.download('key', `${file}.copy`)).toMatchObject({ bytes: 7 });
    failFirst(2, fault);
    let listed = 0;
    for await (const _object of store.list('')) listed++;
    expect(listed).toBe(3);
  });

  it('endlessly is a retryable error', async () => {
    failFirst(1000, { kind: 'status', status: 503, code: 'SlowDown' });
    await expect(store.get('key')).rejects.toMatchObject({ code: 'store_unreachable', isRetryable: true });
    // The next wait would be longer than retries may take.
    expect(server.requests.length).toBe(5);
  });

  it('by silence is abandoned', async () => {
    const quick = await openS3Store(server.settings({ timeoutSeconds: 0.1, retrySeconds: 0 }), effects);
    server.fault = () => ({ kind: 'slow' });
    await expect(quick.get('key')).rejects.toMatchObject({
      code: 'store_unreachable',
      message: expect.stringContaining('did not answer within 0.1 s'),
    });
    quick.close();
  });

  it('by silence is retried once more, even if retries may not take as long as one request', async () => {
    let now = 0;
    // As in the defaults: a request may take twice as long as its retries.
    const settings = server.settings({ timeoutSeconds: 0.2, retrySeconds: 0.1 });
    const clock = { nowMilliseconds: () => (now += 1000) };
    const quick = await openS3Store(settings, { ...effects, clock });
    await quick.put('key', Buffer.from('content'), null);
    for (const kind of ['slow', 'stall'] as const) {
      failFirst(1, { kind });
      expect(await quick.get('key')).toMatchObject({ bytes: Buffer.from('content') });
      failFirst(1, { kind });
      expect(await quick.download('key', await fileOf(Buffer.of()))).toMatchObject({ bytes: 7 });
    }
    failFirst(1, { kind: 'slow' });
    await quick.put('key', Buffer.from('other'), null);
    server.requests.length = 0;
    failFirst(1000, { kind: 'stall' });
    await expect(quick.get('key')).rejects.toMatchObject({ code: 'store_unreachable' });
    expect(server.requests).toHaveLength(2);
    quick.close();
  });

  it('is awaited while it sends, even longer than a request may take', async () => {
    const quick = await openS3Store(server.settings({ timeoutSeconds: 0.4, retrySeconds: 0 }), effects);
    const content = Buffer.alloc(20_000, 'x');
    await quick.put('key', content, null);
    server.requests.length = 0;
    server.fault = () => ({ kind: 'trickle', chunks: 20, everyMilliseconds: 50 });
    expect(await quick.download('key', await fileOf(Buffer.of()))).toMatchObject({ sha256: sha256(content) });
    expect(await quick.get('key')).toMatchObject({ bytes: content });
    expect(server.requests).toHaveLength(2);
    quick.close();
  });

  it('still lists trees while all permitted downloads are slow', async () => {
    const settings = server.settings({ concurrency: 2, treeTimeoutSeconds: 2, retrySeconds: 0 });
    const busy = await openS3Store(settings, effects);
    await busy.put('trees/a.json', Buffer.from('a'), null);
    await busy.put('content', Buffer.alloc(1000), null);
    server.requests.length = 0;
    server.fault = ({ key }) => (key.endsWith('content') ? { kind: 'stall' } : null);
    const stopping = new AbortController();
    const file = await fileOf(Buffer.of());
    const received = [1, 2, 3].map((n) => busy.download('content', `${file}.${n}`, stopping.signal));
    const ended = Promise.allSettled(received);
    const requested = () => server.requests.filter((request) => request.endsWith('content'));
    await expect.poll(requested, { timeout: 60_000 }).toHaveLength(2);
    const tree = await busy.get('trees/a.json').catch((error: Error) => error);
    stopping.abort(new Error('enough'));
    await ended;
    expect(tree).toMatchObject({ bytes: Buffer.from('a') });
    expect(requested()).toHaveLength(2);
    busy.close();
  });

  it('receives a few parts at a time, however many files are large', async () => {
    const busy = await openS3Store(server.settings({ concurrency: 8 }), effects);
    const content = Buffer.alloc(PART_BYTES + 5, 1);
    const file = await fileOf(content);
    server.fault = ({ method }) => (method === 'PUT' ? { kind: 'slow' } : null);
    const stopping = new AbortController();
    const sent = [1, 2, 3, 4, 5].map((n) => busy.upload(`${n}`, file, sha256(content), null, stopping.signal));
    const parts = () => server.requests.filter((request) => request.startsWith('PUT')).length;
    await expect.poll(parts, { timeout: 60_000 }).toBe(4);
    for (let round = 0; round < 20; round++) await busy.get('trees/a.json');
    expect(parts()).toBe(4);
    stopping.abort(new Error('enough'));
    await Promise.allSettled(sent);
    server.fault = null;
    // All slots are free again.
    await busy.upload('last', file, sha256(content), null);
    expect(server.objects.get('test/last')?.bytes.equals(content)).toBe(true);
    busy.close();
  });

  it('is abandoned sooner for trees if the caller requests it', async () => {
    const settings = server.settings({ timeoutSeconds: 20, treeTimeoutSeconds: 0.1, retrySeconds: 0 });
    const quick = await openS3Store(settings, effects);
    server.fault = () => ({ kind: 'slow' });
    const error = { message: expect.stringContaining('did not answer within 0.1 s') };
    await expect(quick.get('trees/a.json')).rejects.toMatchObject(error);
    await expect(quick.put('trees/a.json', Buffer.from('x'), null)).rejects.toMatchObject(error);
    quick.close();
  });

  it('after it has written: the writer finds its own object, and decides', async () => {
    failFirst(1, { kind: 'cut-after' });
    await expect(store.put('key', Buffer.from('mine'), 'absent')).rejects.toMatchObject({ code: 'write_lost' });
    expect(await store.get('key')).toMatchObject({ bytes: Buffer.from('mine') });
  });

  it('after it has completed a multipart upload: the file is there, and no upload is left', async () => {
    const content = Buffer.alloc(PART_BYTES + 5, 1);
    const file = await fileOf(content);
    for (const condition of ['absent', null] as const) {
      let posts = 0;
      // The second one completes the upload.
      server.fault = ({ method }) => (method === 'POST' && ++posts === 2 ? { kind: 'cut-after' } : null);
      await store.upload('big', file, sha256(content), condition);
      expect(server.objects.get('test/big')?.bytes.equals(content)).toBe(true);
      expect(posts).toBe(3);
      server.objects.delete('test/big');
    }
    server.fault = null;
    // Another process has aborted it, and nothing is there.
    server.fault = ({ method, query }) => {
      if (method === 'POST' && query.has('uploadId')) server.uploads.clear();
      return null;
    };
    const error = { code: 'store_unreachable', isRetryable: true };
    await expect(store.upload('big', file, sha256(content), 'absent')).rejects.toMatchObject(error);
  });

  it('is reported as down', async () => {
    await server.close();
    await expect(store.get('key')).rejects.toMatchObject({ code: 'store_unreachable', isRetryable: true });
    server = await startS3Server();
  });

  it('is not awaited when the caller stops', async () => {
    server.fault = () => ({ kind: 'slow' });
    const stopping = new AbortController();
    const requested = store.get('key', null, stopping.signal);
    stopping.abort(new Error('enough'));
    await expect(requested).rejects.toThrow('enough');
  });
});

describe('a store that refuses', () => {
  const refusals: readonly [string, number, string, RegExp][] = [
    ['ExpiredToken', 400, 'store_denied', /expired: renew/],
    ['InvalidAccessKeyId', 403, 'store_denied', /accessKeyId/],
    ['SignatureDoesNotMatch', 403, 'store_denied', /accessKeyId/],
    ['AccessDenied', 403, 'store_denied', /denies access/],
    ['RequestTimeTooSkewed', 403, 'store_denied', /clock/],
    ['NoSuchBucket', 404, 'store_missing', /create it/],
    ['NotImplemented', 501, 'store_refused', /conditional writes/],
    ['EntityTooLarge', 400, 'store_refused', /EntityTooLarge/],
  ];

  it.each(refusals)('with %s is called once, and the message says what to do', async (code, status, kind, message) => {
    server.fault = () => ({ kind: 'status', status, code });
    const error = { code: kind, isRetryable: false, message: expect.stringMatching(message) };
    await expect(store.put('key', Buffer.from('x'), null)).rejects.toMatchObject(error);
    expect(server.requests).toHaveLength(1);
    await expect(store.get('key')).rejects.toMatchObject(error);
  });

  it('a HEAD request has a reason too, though such a response has no body', async () => {
    for (const [code, status] of [
      ['ExpiredToken', 400],
      ['InvalidAccessKeyId', 403],
    ] as const) {
      server.fault = () => ({ kind: 'status', status, code });
      const error = { code: 'store_denied', message: expect.stringMatching(/expired: renew|InvalidAccessKeyId/) };
      await expect(store.find('key')).rejects.toMatchObject(error);
    }
  });

  it('bytes damaged in transit', async () => {
    server.fault = () => ({ kind: 'status', status: 400, code: 'BadDigest' });
    const error = { code: 'object_damaged', isRetryable: true };
    await expect(store.put('key', Buffer.from('x'), null)).rejects.toMatchObject(error);
  });

  it('has another bucket', async () => {
    const other = await openS3Store(server.settings({ url: 's3://nowhere' }), effects);
    await expect(other.get('key')).rejects.toMatchObject({ code: 'store_missing' });
    other.close();
  });
});
