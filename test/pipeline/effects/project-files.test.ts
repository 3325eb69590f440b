import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hashRunningCode } from '../../../pipeline/effects/project-files.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';

test('the hash of the running code is that of the bundler, or else that of the files', async () => {
  const root = await temporaryFolder();
  for (const room of ['api', 'pipeline']) await mkdir(path.join(root, room));
  await writeFile(path.join(root, 'api', 'app.js'), 'export {};');
  const first = hashRunningCode(root);
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  await writeFile(path.join(root, 'api', 'app.js.map'), '{}');
  expect(hashRunningCode(root)).toBe(first);
  await writeFile(path.join(root, 'api', 'app.js'), 'export { };');
  expect(hashRunningCode(root)).not.toBe(first);
  await writeFile(path.join(root, 'code-hash'), 'of the bundler');
  expect(hashRunningCode(root)).toBe('of the bundler');
});
