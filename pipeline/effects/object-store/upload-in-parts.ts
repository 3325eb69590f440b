import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { PART_BYTES } from './object-store.ts';
import { assertContent, conditionFields, type S3Context, type Upload } from './s3-context.ts';
import { isGone, isMissing } from './store-errors.ts';

interface Part {
  readonly PartNumber: number;
  readonly ETag: string;
  readonly ChecksumSHA256: string;
}

/**
 * Stores a large file by a multipart upload: parts are read one after the other, and sent some at the same time, each
 * with its checksum. A failed upload is aborted, so that its parts take no space.
 * @see Amazon S3 API: CreateMultipartUpload, UploadPart, CompleteMultipartUpload, AbortMultipartUpload
 */
export async function uploadInParts(context: S3Context, upload: Upload, signal?: AbortSignal): Promise<void> {
  const { call, client, sdk, bucket, prefix, counts } = context;
  const place = { Bucket: bucket, Key: `${prefix}${upload.key}` };
  const uploadId = await call(
    `POST ${upload.key}`,
    async (abortSignal) => {
      counts.puts++;
      const command = new sdk.CreateMultipartUploadCommand({ ...place, ChecksumAlgorithm: 'SHA256' });
      return (await client.send(command, { abortSignal })).UploadId ?? '';
    },
    signal,
  );
  try {
    const { parts, bytes } = await sendParts(context, upload, uploadId, signal);
    await call(
      `POST ${upload.key}`,
      async (abortSignal) => {
        counts.puts++;
        const complete = {
          UploadId: uploadId,
          MultipartUpload: { Parts: parts },
          ...conditionFields(upload.condition),
        };
        try {
          await client.send(new sdk.CompleteMultipartUploadCommand({ ...place, ...complete }), { abortSignal });
        } catch (error) {
          // The attempt before it may have completed the upload, and its answer was lost.
          if (!isGone(error) || !(await isStored(context, place, bytes, abortSignal))) throw error;
        }
      },
      signal,
    );
  } catch (error) {
    await abortUpload(context, place, uploadId);
    throw error;
  }
}

/** Whether an object of this size exists: keys are hashes of contents, so it is the one that was sent. */
async function isStored(
  { client, sdk, counts }: S3Context,
  place: { Bucket: string; Key: string },
  bytes: number,
  abortSignal: AbortSignal,
): Promise<boolean> {
  counts.gets++;
  try {
    return (await client.send(new sdk.HeadObjectCommand(place), { abortSignal })).ContentLength === bytes;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** What cannot be aborted either is left to the store, whose rules of life cycle remove it. */
async function abortUpload({ client, sdk }: S3Context, place: { Bucket: string; Key: string }, uploadId: string) {
  const abortSignal = AbortSignal.timeout(ABORT_MILLISECONDS);
  const command = new sdk.AbortMultipartUploadCommand({ ...place, UploadId: uploadId });
  await client.send(command, { abortSignal }).then(
    () => {},
    () => {},
  );
}

const ABORT_MILLISECONDS = 5000;

/** Parts in memory at the same time, of all uploads of a store. */
export const PARTS_AT_ONCE = 4;

async function sendParts(context: S3Context, upload: Upload, uploadId: string, signal?: AbortSignal) {
  const hash = createHash('sha256');
  const parts: Part[] = [];
  let bytes = 0;
  const sending: Promise<void>[] = [];
  const failed = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const handle = await open(upload.file, 'r');
  try {
    for (let number = 1; ; number++) {
      const next = await readPart(context, handle, stop);
      if (next === null) break;
      const { content, release } = next;
      hash.update(content);
      bytes += content.length;
      const sent = sendPart(context, upload, { uploadId, number, content }, stop)
        .then((part) => void parts.push(part))
        .finally(release);
      sent.catch((error: unknown) => failed.abort(error));
      sending.push(sent);
    }
    await Promise.all(sending);
  } finally {
    await handle.close();
    await Promise.allSettled(sending);
  }
  assertContent(upload, hash.digest('hex'));
  return { parts: parts.sort((a, b) => a.PartNumber - b.PartNumber), bytes };
}

/** Reads the next part once there is room for it; null at the end of the file. */
async function readPart({ partSlots }: S3Context, handle: FileHandle, stop: AbortSignal) {
  const release = await partSlots.acquire();
  try {
    stop.throwIfAborted();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PART_BYTES), 0, PART_BYTES);
    if (bytesRead > 0) return { content: buffer.subarray(0, bytesRead), release };
  } catch (error) {
    release();
    throw error;
  }
  release();
  return null;
}

async function sendPart(
  { call, client, sdk, bucket, prefix, counts }: S3Context,
  { key }: Upload,
  { uploadId, number, content }: { uploadId: string; number: number; content: Buffer },
  signal: AbortSignal,
): Promise<Part> {
  const ChecksumSHA256 = createHash('sha256').update(content).digest('base64');
  return call(
    `PUT part ${number} of ${key}`,
    async (abortSignal) => {
      counts.puts++;
      const command = new sdk.UploadPartCommand({
        ...{ Bucket: bucket, Key: `${prefix}${key}`, UploadId: uploadId, PartNumber: number },
        ...{ Body: content, ChecksumSHA256 },
      });
      const { ETag = '' } = await client.send(command, { abortSignal });
      counts.sentBytes += content.length;
      return { PartNumber: number, ETag, ChecksumSHA256 };
    },
    signal,
  );
}
