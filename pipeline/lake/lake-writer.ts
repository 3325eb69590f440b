import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { findJson, writeJsonAtomically } from '../effects/files.ts';
import type { SourceId } from '../model/ids.ts';
import { observationStateFolder } from './paths.ts';

/**
 * The id under which a data folder writes observations and raw answers of a source. It is part of the names of the files
 * that it writes, so two machines never write the same one, without coordination.
 */
interface LakeWriter {
  /** 8 hexadecimal digits. */
  readonly id: string;
  /**
   * Complete segments of the journal of observations, up to this number, may have reached the lake in part under a former
   * id; null: there are none.
   */
  readonly former: { readonly id: string; readonly upTo: number } | null;
}

/** Versions before December 2026 wrote files without an id. */
const NO_ID = '';

/** @returns null where nothing was written yet, or by an older version only */
export async function findWriter(dataDir: string, source: SourceId): Promise<LakeWriter | null> {
  return findJson<LakeWriter>(writerFile(dataDir, source));
}

/** @param complete as in `renewWriter`, which creates the id if there is none */
export async function readWriter(dataDir: string, source: SourceId, complete: number): Promise<LakeWriter> {
  return (await findWriter(dataDir, source)) ?? (await renewWriter(dataDir, source, complete));
}

/**
 * Writes under a new id from now on.
 * @param complete the newest complete segment of the journal; 0: there is none
 */
export async function renewWriter(dataDir: string, source: SourceId, complete: number): Promise<LakeWriter> {
  const id = (await findWriter(dataDir, source))?.id ?? NO_ID;
  const former = complete === 0 ? null : { id, upTo: complete };
  const writer: LakeWriter = { id: randomBytes(4).toString('hex'), former };
  await writeJsonAtomically(writerFile(dataDir, source), writer);
  return writer;
}

function writerFile(dataDir: string, source: SourceId): string {
  return path.join(observationStateFolder(dataDir, source), 'writer.json');
}
