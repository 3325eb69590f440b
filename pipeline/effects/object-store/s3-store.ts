import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { limitConcurrency } from '../concurrency.ts';
import { ExternalError } from '../external-error.ts';
import { syncFile } from '../files.ts';
import {
  type ListedObject,
  MAX_DOCUMENT_BYTES,
  type ObjectStore,
  PART_BYTES,
  type StoredDocument,
  type StoreSettings,
  type WriteCondition,
} from './object-store.ts';
import { type RetryEffects, type RetryLimits, retryCall } from './retry-call.ts';
import { createS3Client, parseStoreUrl } from './s3-client.ts';
import { assertContent, conditionFields, type S3Context, type Upload } from './s3-context.ts';
import { isMissing, statusOf } from './store-errors.ts';
import { PARTS_AT_ONCE, uploadInParts } from './upload-in-parts.ts';

/** Opens a store, without a request. Errors: those of `ObjectStore`. */
export async function openS3Store(
  settings: StoreSettings,
  { clock, sleep, random = Math.random }: S3Effects,
): Promise<ObjectStore> {
  const effects: RetryEffects = { nowMilliseconds: () => clock.nowMilliseconds(), sleep, random };
  const { client, sdk, renewCredentials } = await createS3Client(settings);
  const { bucket, prefix } = parseStoreUrl(settings.url);
  // Of several trees at once as well; what waits here has no request, whose time would run out.
  const contentSlots = limitConcurrency(settings.concurrency);
  const counts = { gets: 0, puts: 0, lists: 0, deletes: 0, sentBytes: 0, receivedBytes: 0 };
  const context: S3Context = {
    ...{ client, sdk, bucket, prefix, settings, counts, partSlots: limitConcurrency(PARTS_AT_ONCE) },
    call: (what, attempt, signal) => {
      const limits = { ...limitsOf(what, settings), renewCredentials };
      return retryCall(what, attempt, limits, effects, signal);
    },
  };
  return {
    url: settings.url,
    endpoint: settings.endpoint,
    counts,
    get: (key, ifNoneMatch = null, signal) => getDocument(context, key, ifNoneMatch, signal),
    download: (key, file, signal) => contentSlots.run(() => downloadObject(context, key, file, signal)),
    put: (key, content, condition, signal) => putBytes(context, key, content, condition, signal),
    upload: (key, file, sha256, condition, signal) =>
      contentSlots.run(() => uploadFile(context, { key, file, sha256, condition }, signal)),
    find: (key, signal) => findObject(context, key, signal),
    remove: (key, signal) => removeObject(context, key, signal),
    list: (below, signal) => listObjects(context, below, signal),
    close: () => client.destroy(),
  };
}

function limitsOf(what: string, settings: StoreSettings): Omit<RetryLimits, 'renewCredentials'> {
  const { timeoutSeconds, treeTimeoutSeconds = timeoutSeconds } = settings;
  const isTree = /^\w+ trees\//.test(what);
  return { ...settings, timeoutSeconds: isTree ? Math.min(treeTimeoutSeconds, timeoutSeconds) : timeoutSeconds };
}

/** The parts of `Effects` that a store needs. */
export interface S3Effects {
  readonly clock: { nowMilliseconds(): number };
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  random?(): number;
}

async function getDocument(
  { call, client, sdk, bucket, prefix, counts }: S3Context,
  key: string,
  ifNoneMatch: string | null,
  signal?: AbortSignal,
): Promise<StoredDocument | 'unchanged' | null> {
  return call(
    `GET ${key}`,
    async (abortSignal, noteProgress) => {
      counts.gets++;
      const condition = ifNoneMatch === null ? {} : { IfNoneMatch: ifNoneMatch };
      const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: `${prefix}${key}`, ...condition });
      try {
        const { Body, ETag, ContentLength = 0 } = await client.send(command, { abortSignal });
        const bytes = await readBody(addAbortSignal(abortSignal, Body as Readable), ContentLength, key, noteProgress);
        counts.receivedBytes += bytes.length;
        return { bytes, etag: ETag ?? '' };
      } catch (error) {
        if (statusOf(error) === 304) return 'unchanged';
        if (isMissing(error)) return null;
        throw error;
      }
    },
    signal,
  );
}

async function readBody(body: Readable, expected: number, key: string, noteProgress: () => void): Promise<Buffer> {
  if (expected > MAX_DOCUMENT_BYTES) {
    body.destroy();
    throw new ExternalError('object_damaged', `${key} has ${expected} bytes, more than ${MAX_DOCUMENT_BYTES}`);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of body) {
    noteProgress();
    chunks.push(chunk as Buffer);
  }
  const bytes = Buffer.concat(chunks);
  assertWhole(bytes.length, expected, key);
  return bytes;
}

function assertWhole(received: number, expected: number, key: string): void {
  if (received === expected) return;
  const sentence = `${key} ended after ${received} of ${expected} bytes`;
  throw new ExternalError('store_unreachable', sentence, { isRetryable: true });
}

async function downloadObject(
  { call, client, sdk, bucket, prefix, counts }: S3Context,
  key: string,
  file: string,
  signal?: AbortSignal,
): Promise<{ sha256: string; bytes: number } | null> {
  try {
    return await call(
      `GET ${key}`,
      async (abortSignal, noteProgress) => {
        counts.gets++;
        const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: `${prefix}${key}` });
        try {
          const { Body, ContentLength = 0 } = await client.send(command, { abortSignal });
          const written = await writeBody(Body as Readable, file, abortSignal, noteProgress);
          counts.receivedBytes += written.bytes;
          assertWhole(written.bytes, ContentLength, key);
          return written;
        } catch (error) {
          if (isMissing(error)) return null;
          throw error;
        }
      },
      signal,
    );
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

async function writeBody(body: Readable, file: string, signal: AbortSignal, noteProgress: () => void) {
  const hash = createHash('sha256');
  let bytes = 0;
  const measured = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      noteProgress();
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  await pipeline(body, measured, createWriteStream(file), { signal });
  await syncFile(file);
  return { sha256: hash.digest('hex'), bytes };
}

async function putBytes(
  { call, client, sdk, bucket, prefix, counts }: S3Context,
  key: string,
  content: Uint8Array,
  condition: WriteCondition,
  signal?: AbortSignal,
): Promise<string> {
  const checksum = createHash('sha256').update(content).digest('base64');
  return call(
    `PUT ${key}`,
    async (abortSignal) => {
      counts.puts++;
      const command = new sdk.PutObjectCommand({
        ...{ Bucket: bucket, Key: `${prefix}${key}`, Body: content, ChecksumSHA256: checksum },
        ...conditionFields(condition),
      });
      const { ETag } = await client.send(command, { abortSignal });
      counts.sentBytes += content.length;
      return ETag ?? '';
    },
    signal,
  );
}

async function uploadFile(context: S3Context, upload: Upload, signal?: AbortSignal): Promise<void> {
  const { size } = await stat(upload.file);
  if (size > PART_BYTES) return uploadInParts(context, upload, signal);
  const handle = await open(upload.file, 'r');
  let content: Buffer;
  try {
    content = await handle.readFile();
  } finally {
    await handle.close();
  }
  assertContent(upload, createHash('sha256').update(content).digest('hex'));
  await putBytes(context, upload.key, content, upload.condition, signal);
}

async function findObject(
  { call, client, sdk, bucket, prefix, counts }: S3Context,
  key: string,
  signal?: AbortSignal,
): Promise<Omit<ListedObject, 'key'> | null> {
  return call(
    `HEAD ${key}`,
    async (abortSignal) => {
      counts.gets++;
      const place = { Bucket: bucket, Key: `${prefix}${key}` };
      const command = new sdk.HeadObjectCommand(place);
      try {
        const { ContentLength = 0, ETag = '', LastModified } = await client.send(command, { abortSignal });
        return { bytes: ContentLength, etag: ETag, modified: LastModified?.getTime() ?? 0 };
      } catch (error) {
        if (isMissing(error)) return null;
        // A response to HEAD has no body with the reason, e.g. expired credentials: request one byte instead.
        if (statusOf(error) === 400 || statusOf(error) === 403) {
          counts.gets++;
          const { Body } = await client.send(new sdk.GetObjectCommand({ ...place, Range: 'bytes=0-0' }), {
            abortSignal,
          });
          (Body as Readable).destroy();
        }
        throw error;
      }
    },
    signal,
  );
}

async function removeObject(
  { call, client, sdk, bucket, prefix, counts }: S3Context,
  key: string,
  signal?: AbortSignal,
): Promise<void> {
  await call(
    `DELETE ${key}`,
    async (abortSignal) => {
      counts.deletes++;
      const command = new sdk.DeleteObjectCommand({ Bucket: bucket, Key: `${prefix}${key}` });
      await client.send(command, { abortSignal }).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    },
    signal,
  );
}

async function* listObjects(
  { call, client, sdk, bucket, prefix, counts }: S3Context,
  below: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedObject> {
  let token: string | undefined;
  do {
    const page = await call(
      `LIST ${below}`,
      (abortSignal) => {
        counts.lists++;
        const from = token === undefined ? {} : { ContinuationToken: token };
        const command = new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}${below}`, ...from });
        return client.send(command, { abortSignal });
      },
      signal,
    );
    for (const { Key = '', Size = 0, ETag = '', LastModified } of page.Contents ?? []) {
      const modified = LastModified?.getTime() ?? 0;
      yield { key: Key.slice(prefix.length), bytes: Size, etag: ETag, modified };
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}
