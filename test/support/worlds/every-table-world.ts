import { noteSourceCredits } from '../../../pipeline/lake/source-credits.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { ingestFeeds, soundFeed } from './ingest.ts';
import { LIVE, writeObservedTables } from './observed-tables.ts';

/** Attributions of the sources of the world. */
const worldCredits = [
  { id: LIVE, attribution: "Verkehr d'Or", licence: 'CC BY 4.0' },
  { id: toSourceId('at'), attribution: 'Data of "A"; Austria', licence: null },
] as const;

/** Writes rows into every table with the code of the service. */
export async function writeEveryTable(dataDir: string): Promise<void> {
  await noteSourceCredits(dataDir, worldCredits);
  await ingestFeeds({ at: soundFeed }, { dataDir });
  await writeObservedTables(dataDir);
}
