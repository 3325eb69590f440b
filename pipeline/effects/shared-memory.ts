import { type FileHandle, open } from 'node:fs/promises';

/** A read of the system ends at 2 GiB, whatever was asked for. */
const READ_PIECE_BYTES = 1 << 28;

/**
 * Reads a whole file into memory that other threads can be handed without a copy.
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
 * Lets this thread's garbage collector know what a shared buffer holds. V8 counts shared memory for nobody, so a thread
 * that lets go of one large buffer after another sees no reason to collect them. A buffer of its own that is as large
 * and lives as long is counted; nobody ever writes to it, so the system gives it no memory.
 */
export function weighShared(buffer: SharedArrayBuffer): void {
  if ('weight' in buffer) return;
  const bytes = buffer.byteLength;
  // One that could be resized has pages of its own, which the system fills when they are written to; others may be given
  // memory that was in use before, and is cleared first. The compiler does not know of them yet.
  const weight: ArrayBuffer = Reflect.construct(ArrayBuffer, [bytes, { maxByteLength: bytes }]);
  Object.defineProperty(buffer, 'weight', { value: weight });
}
