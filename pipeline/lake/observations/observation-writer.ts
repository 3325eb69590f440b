import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { findJson, writeJsonAtomically } from '../../effects/files.ts';
import type { SourceId } from '../../model/ids.ts';
import { observationStateFolder } from '../paths.ts';
import { listSegments } from './journal.ts';

/**
 * The id under which a data folder writes the observations of a source. It is part of the names of the files, so two
 * machines never write the same name, and neither has to know of the other.
 */
interface ObservationWriter {
  /** 8 hexadecimal digits. */
  readonly id: string;
  /** Complete segments, up to this number, may have reached the lake in part under a former id; null: there are none. */
  readonly former: { readonly id: string; readonly upTo: number } | null;
}

/** Versions before December 2026 wrote files without an id. */
const NO_ID = '';

/** @returns a new writer for a journal of such a version */
export async function readWriter(dataDir: string, source: SourceId): Promise<ObservationWriter> {
  return (await findWriter(dataDir, source)) ?? (await renewWriter(dataDir, source));
}

/** @returns null where nothing was written yet, or by an older version only */
export async function findWriter(dataDir: string, source: SourceId): Promise<ObservationWriter | null> {
  return findJson<ObservationWriter>(writerFile(dataDir, source));
}

/** Continues a journal, or begins one, under a new id. */
export async function renewWriter(dataDir: string, source: SourceId): Promise<ObservationWriter> {
  const newest = (await listSegments(observationStateFolder(dataDir, source))).at(-1);
  const id = (await findWriter(dataDir, source))?.id ?? NO_ID;
  const former = newest === undefined ? null : { id, upTo: newest - 1 };
  const writer: ObservationWriter = { id: randomBytes(4).toString('hex'), former };
  await writeJsonAtomically(writerFile(dataDir, source), writer);
  return writer;
}

function writerFile(dataDir: string, source: SourceId): string {
  return path.join(observationStateFolder(dataDir, source), 'writer.json');
}
