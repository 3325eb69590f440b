import path from 'node:path';
import { findJson, writeJsonAtomically } from '../effects/files.ts';
import { lakeFolder } from './paths.ts';

/** Whose work the rows of a source are, as its configuration says; null where it does not. */
interface SourceCredit {
  readonly attribution: string | null;
  readonly licence: string | null;
}

/** By id of the source. Sources that are not configured any more stay: their rows may still be there. */
type SourceCredits = Readonly<Record<string, SourceCredit>>;

function creditsFile(dataDir: string): string {
  return path.join(lakeFolder(dataDir), 'manifests', 'sources.json');
}

export async function readSourceCredits(dataDir: string): Promise<SourceCredits> {
  return (await findJson<SourceCredits>(creditsFile(dataDir))) ?? {};
}

/** Notes the credits of some sources beside those that are known; whatever is written later carries them. */
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
