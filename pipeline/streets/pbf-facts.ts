import { type FileHandle, open, stat } from 'node:fs/promises';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { hashFile } from '../effects/hash-file.ts';

/** Identity of a file. */
export interface PbfFacts {
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  readonly sha256: string;
}

/** Start of every OSM PBF, after four bytes of length: the field `type` of the first header. */
const BEGINNING = Buffer.from('\x0a\x09OSMHeader', 'latin1');

/**
 * Reads a file completely.
 * @throws ExternalError `pbf_missing`, `pbf_unreadable` for one that is not OSM PBF
 */
export async function readPbfFacts(file: string): Promise<PbfFacts> {
  const handle = await openFile(file);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ExternalError('pbf_unreadable', `${file} is not a file`);
    const { buffer } = await handle.read(Buffer.alloc(BEGINNING.length), 0, BEGINNING.length, 4);
    if (!buffer.equals(BEGINNING)) throw new ExternalError('pbf_unreadable', `${file} is not an OSM PBF file`);
    return { bytes: stats.size, modifiedAt: stats.mtimeMs, sha256: await hashFile(file) };
  } finally {
    await handle.close();
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) throw new ExternalError('pbf_missing', `there is no file ${file}`);
    throw error;
  }
}

/** @throws ExternalError `pbf_unreadable` if the file was modified meanwhile, e.g. by a download */
export async function checkUnchanged(pbf: string, facts: PbfFacts): Promise<void> {
  const { size, mtimeMs } = await stat(pbf);
  if (size === facts.bytes && mtimeMs === facts.modifiedAt) return;
  throw new ExternalError('pbf_unreadable', `${pbf} changed while it was read`, { isRetryable: true });
}
