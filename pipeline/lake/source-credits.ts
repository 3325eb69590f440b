import path from 'node:path';
import { findJson, writeJsonAtomically } from '../effects/files.ts';
import { lakeFolder } from './paths.ts';

/** Attribution and licence of a source, from its configuration; null where not configured. */
interface SourceCredit {
  readonly attribution: string | null;
  readonly licence: string | null;
}

/** By id of the source. Sources that are no longer configured are kept: their rows may still exist. */
type SourceCredits = Readonly<Record<string, SourceCredit>>;

function creditsFile(dataDir: string): string {
  return path.join(lakeFolder(dataDir), 'manifests', 'sources.json');
}

export async function readSourceCredits(dataDir: string): Promise<SourceCredits> {
  return (await findJson<SourceCredits>(creditsFile(dataDir))) ?? {};
}

/** Adds the credits of some sources to the stored ones; files written later contain them. */
export async function noteSourceCredits(
  dataDir: string,
  sources: readonly ({ readonly id: string } & SourceCredit)[],
): Promise<void> {
  const before = await readSourceCredits(dataDir);
  const added = sources.map(({ id, attribution, licence }) => [id, { attribution, licence }] as const);
  const after = sortById({ ...before, ...Object.fromEntries(added) });
  if (JSON.stringify(after) !== JSON.stringify(before)) await writeJsonAtomically(creditsFile(dataDir), after);
}

function sortById(credits: SourceCredits): SourceCredits {
  return Object.fromEntries(Object.entries(credits).sort(([a], [b]) => (a < b ? -1 : 1)));
}
