import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { withTemporaryFolder } from '../../../pipeline/effects/temporary-folders.ts';

/* The program that `temporary-folders.test.ts` kills: reports that it works in a temporary folder, and never ends. */
const [parent, note] = process.argv.slice(2) as [string, string];

await withTemporaryFolder(parent, async (folder) => {
  writeFileSync(path.join(folder, 'half.parquet'), 'half');
  writeFileSync(note, folder);
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
});
