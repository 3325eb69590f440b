import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import yauzl from 'yauzl';
import { writeSampleZip } from '../../../../pipeline/sample/feed/write-sample-zip.ts';

const feed = new Map([
  ['agency.txt', 'agency_id\nwien\n'],
  ['stops.txt', '\uFEFFstop_id,stop_name\r\n1,"Währing, ""Volksoper"""\r\n'],
]);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sample-zip-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('contains its files in order', async () => {
  const file = path.join(folder, 'feed.zip');
  await writeSampleZip(feed, file);
  const zip = await yauzl.openPromise(file, { lazyEntries: true, autoClose: false });
  const found: [string, string][] = [];
  for await (const entry of zip.eachEntry()) {
    found.push([entry.fileName, await text(await zip.openReadStreamPromise(entry))]);
  }
  zip.close();
  // A text consumer takes the byte order mark away.
  expect(found).toEqual([...feed].map(([name, content]) => [name, content.replace('\uFEFF', '')]));
});

it('gives equal bytes with a fixed time, and leaves no temporary files', async () => {
  const [first, second] = [path.join(folder, 'same', 'a.zip'), path.join(folder, 'same', 'b.zip')];
  await writeSampleZip(feed, first);
  await writeSampleZip(feed, second);
  const bytes = await readFile(first);
  expect(bytes.equals(await readFile(second))).toBe(true);
  // Local file header: DOS time at 10, DOS date at 12; 1980-01-01 00:00 as any local clock shows it.
  expect([bytes.readUInt16LE(10), bytes.readUInt16LE(12)]).toEqual([0, 0x21]);
  expect(await readdir(path.join(folder, 'same'))).toEqual(['a.zip', 'b.zip']);
});
