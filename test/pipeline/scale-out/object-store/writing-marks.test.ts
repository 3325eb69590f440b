import { chmod, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../../pipeline/effects/clock.ts';
import { listUnpublishedJobs } from '../../../../pipeline/scale-out/object-store/waiting.ts';
import { listMarks, markWriting } from '../../../../pipeline/scale-out/object-store/writing-marks.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';

const clock = systemClock;

async function openMark() {
  const dataDir = await temporaryFolder();
  const mark = await markWriting(dataDir, 'build-marts', ['marts'], { clock });
  const folder = path.join(dataDir, 'state', 'object-store', 'writing');
  const file = path.join(folder, (await readdir(folder))[0]!);
  const isAtWork = async () => (await listMarks(dataDir)).map((found) => found.isAtWork);
  return { dataDir, mark, file, folder, isAtWork };
}

it('a mark of another container is active while it is renewed', async () => {
  const { dataDir, file, isAtWork } = await openMark();
  const content = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...content, host: 'taktgeber-jobs', pid: 1 }));
  expect([await isAtWork(), await listUnpublishedJobs(dataDir)]).toEqual([[true], []]);
  const past = new Date(clock.nowMilliseconds() - 6 * 60_000);
  await utimes(file, past, past);
  expect([await isAtWork(), await listUnpublishedJobs(dataDir)]).toEqual([[false], ['build-marts']]);
});

it('a mark waits without a new file, because the disk may be full', async () => {
  const { dataDir, mark, file, folder, isAtWork } = await openMark();
  await chmod(file, 0o444);
  const before = await readFile(file, 'utf8');
  await mark.wait();
  const names = await readdir(folder);
  expect(names).toEqual([expect.stringMatching(/\.waiting\.json$/)]);
  expect(await readFile(path.join(folder, names[0]!), 'utf8')).toBe(before);
  expect([await isAtWork(), await listUnpublishedJobs(dataDir)]).toEqual([[false], ['build-marts']]);
});
