import { type FileHandle, open } from 'node:fs/promises';

/** A system read returns at most 2 GiB. */
const READ_PIECE_BYTES = 1 << 28;

/**
 * Reads a whole file into shared memory, which other threads receive without a copy.
 * @throws the system error when it cannot be read; Error when it ends early
 */
export async function readSharedFile(file: string): Promise<Uint8Array> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const buffer = new SharedArrayBuffer(size);
    weighShared(buffer);
    const bytes = new Uint8Array(buffer);
    for (let at = 0; at < size; ) at += await readPiece(handle, bytes, at, file);
    return bytes;
  } finally {
    await handle.close();
  }
}

async function readPiece(handle: FileHandle, bytes: Uint8Array, at: number, file: string): Promise<number> {
  const { bytesRead } = await handle.read(bytes, at, Math.min(READ_PIECE_BYTES, bytes.length - at), at);
  if (bytesRead === 0) throw new Error(`${file} ended while it was read`);
  return bytesRead;
}

/**
 * Makes this thread's garbage collector count a shared buffer. V8 counts shared memory for no thread, so a thread that
 * releases one large buffer after another sees no reason to collect them. An ordinary buffer of equal size and lifetime
 * is counted; it is never written to, so the system allocates no memory for it.
 */
export function weighShared(buffer: SharedArrayBuffer): void {
  if ('weight' in buffer) return;
  const bytes = buffer.byteLength;
  // The system allocates the pages of a resizable buffer on the first write; other buffers may reuse memory,
  // which is cleared first. The TypeScript library does not know resizable buffers yet.
  const weight: ArrayBuffer = Reflect.construct(ArrayBuffer, [bytes, { maxByteLength: bytes }]);
  Object.defineProperty(buffer, 'weight', { value: weight });
}
