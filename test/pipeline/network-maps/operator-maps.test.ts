import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readOperatorMaps } from '../../../pipeline/network-maps/operator-maps.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';

const MAX_BYTES = 1000;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2]);
const SVG = '<?xml version="1.0"?>\n<!-- drawn by hand -->\n<svg xmlns="http://www.w3.org/2000/svg"/>';

async function read(files: Readonly<Record<string, string | Buffer>>) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
  return readOperatorMaps(folder, MAX_BYTES);
}

describe("the operator's own maps", () => {
  test('are PDF, PNG and SVG files, described in maps.yaml', async () => {
    const { maps, refused } = await read({
      'Netz_2026.pdf': '%PDF-1.7 …',
      'nacht.PNG': PNG,
      'ö.svg': SVG,
      'maps.yaml':
        'maps:\n  nacht.PNG:\n    title: Nachtnetz\n    region: Graz\n    validFrom: "2026-12-13"\n    attribution: Graz Linien\n',
    });
    expect(refused).toEqual([]);
    expect(maps.map(({ map }) => [map.id, map.format, map.title, map.region, map.validFrom, map.attribution])).toEqual([
      ['own-netz-2026', 'pdf', 'Netz 2026', 'Netz 2026', null, null],
      ['own-nacht', 'png', 'Nachtnetz', 'Graz', '2026-12-13', 'Graz Linien'],
      ['own-o', 'svg', 'ö', 'ö', null, null],
    ]);
  });

  test.each([
    ['a.txt', 'x', 'a.txt is neither a PDF nor a PNG nor an SVG file by its name'],
    ['a.pdf', '<html>', 'a.pdf is not a PDF file, judging by its first bytes'],
    ['a.png', '%PDF-', 'a.png is not a PNG file, judging by its first bytes'],
    ['a.pdf', `%PDF-${'x'.repeat(MAX_BYTES)}`, 'a.pdf is larger than 0.0 MiB: 0.0 MiB'],
    ['a.svg', '<html><svg/></html>', 'a.svg is not an SVG file: its first element is another one'],
    ['a.svg', '<svg><g></svg>', 'a.svg is not well-formed XML: '],
    ['a.svg', '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>', 'a.svg defines entities, which are not served'],
    ['a.svg', Buffer.from([0x3c, 0x73, 0xff]), 'a.svg is not a text in UTF-8'],
    ['maps.yaml', 'maps: [', 'maps.yaml cannot be read: '],
    ['maps.yaml', 'other: 1', 'maps.yaml must hold "maps:" with a file on each line'],
  ])('exclude %s: %s', async (name, content, reason) => {
    const { maps, refused } = await read({ [name]: content });
    expect(maps).toEqual([]);
    expect(refused).toEqual([expect.stringContaining(reason)]);
  });

  test('exclude a second file with the same id, and a folder with the name of a file', async () => {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, 'z.svg'));
    for (const name of ['a b.svg', 'a-b.svg']) await writeFile(path.join(folder, name), SVG);
    const { maps, refused } = await readOperatorMaps(folder, MAX_BYTES);
    expect(maps).toHaveLength(1);
    expect(refused).toEqual(['a-b.svg has the id own-a-b of another file', 'z.svg is not a readable file']);
  });

  test('exclude files beyond the total size limit', async () => {
    const folder = await temporaryFolder();
    for (const name of ['a.svg', 'b.svg']) await writeFile(path.join(folder, name), SVG);
    await writeFile(path.join(folder, 'c.png'), PNG);
    const { maps, refused } = await readOperatorMaps(folder, MAX_BYTES, SVG.length + PNG.length);
    expect(maps.map(({ map }) => map.file.slice(0, 5))).toEqual(['own-a', 'own-c']);
    expect(refused).toEqual(['b.svg does not fit: all files together may have 0.0 MiB']);
  });

  test('throws for a missing folder', async () => {
    await expect(readOperatorMaps('/nowhere', MAX_BYTES)).rejects.toThrow('/nowhere cannot be read');
  });
});
