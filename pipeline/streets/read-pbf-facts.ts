import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isSystemError, WorldError } from '../effects/world-error.ts';

/** What tells one file from another. */
export interface PbfFacts {
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  readonly sha256: string;
}

/** What every OSM PBF begins with, after four bytes of length: the field `type` of the first header. */
const BEGINNING = Buffer.from('\x0a\x09OSMHeader', 'latin1');

/**
 * Reads a file through.
 * @throws WorldError `pbf_missing`, `pbf_unreadable` for one that is no OSM PBF
 */
export async function readPbfFacts(file: string): Promise<PbfFacts> {
  const handle = await openFile(file);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new WorldError('pbf_unreadable', `${file} is no file`);
    const { buffer } = await handle.read(Buffer.alloc(BEGINNING.length), 0, BEGINNING.length, 4);
    if (!buffer.equals(BEGINNING)) throw new WorldError('pbf_unreadable', `${file} is no OSM PBF file`);
    return { bytes: stats.size, modifiedAt: stats.mtimeMs, sha256: await hashFile(file) };
  } finally {
    await handle.close();
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) throw new WorldError('pbf_missing', `there is no file ${file}`);
    throw error;
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(piece as Buffer);
  return hash.digest('hex');
}
