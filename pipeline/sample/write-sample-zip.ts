import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';
import { writeFileAtomically } from '../effects/files.ts';

// The first moment that a zip can name. An entry holds what a local clock shows, so a fixed clock reading, not a fixed
// instant, gives the same bytes in every zone: hence the one local date of the project.
const ENTRY_TIME = new Date(1980, 0, 1);
const ENTRY_MODE = 0o100644;

/**
 * Packs a feed into a zip file; the same feed gives the same bytes.
 * @throws the system error of the step that failed; what was there before then still stands
 */
export async function writeSampleZip(feed: ReadonlyMap<string, string>, file: string): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const [name, text] of feed) {
    // Without the "universal timestamp" field, which would hold the local time above as an instant.
    zip.addBuffer(Buffer.from(text), name, { mtime: ENTRY_TIME, mode: ENTRY_MODE, forceDosTimestamp: true });
  }
  zip.end();
  await writeFileAtomically(file, await buffer(zip.outputStream));
}
