import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { lakeFolder } from '../../../pipeline/lake/paths.ts';
import { readSourceCredits } from '../../../pipeline/lake/source-credits.ts';
import { ingestPart, outcome } from '../fake-ingest.ts';
import { runCommand, temporaryFolder } from '../fake-world.ts';

const guide = ['README.md', 'catalog.sql'];
const run = (dataDir: string, parts: ReturnType<typeof ingestPart>['parts'], ...options: string[]) =>
  runCommand(['run', 'ingest-timetable', ...options], { dataDir, parts });

it('writes a guide into the lake, which explains times and credits publishers', async () => {
  const dataDir = await temporaryFolder();
  expect((await run(dataDir, ingestPart().parts)).code).toBe(0);
  for (const name of guide) expect(await readFile(path.join(lakeFolder(dataDir), name), 'utf8')).toContain('UTC');
  expect(await readSourceCredits(dataDir)).toEqual({
    sample: { attribution: expect.stringMatching(/^fictional, .*simulated by Taktgeber/), licence: 'CC0 1.0' },
  });
});

it.each([
  ['a dry run', ingestPart().parts, ['--dry-run']],
  ['an ingest without a timetable', ingestPart(outcome({ snapshotId: null })).parts, []],
])('%s writes none', async (_case, parts, options) => {
  const dataDir = await temporaryFolder();
  await run(dataDir, parts, ...options);
  for (const name of guide) expect(existsSync(path.join(lakeFolder(dataDir), name))).toBe(false);
});
