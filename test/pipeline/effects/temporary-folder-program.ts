import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { withTemporaryFolder } from '../../../pipeline/effects/temporary-folders.ts';

/* What `temporary-folders.test.ts` kills: a process at work in a temporary folder, which says so and never ends. */
const [parent, note] = process.argv.slice(2) as [string, string];

await withTemporaryFolder(parent, async (folder) => {
  writeFileSync(path.join(folder, 'half.parquet'), 'half');
  writeFileSync(note, folder);
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
});
