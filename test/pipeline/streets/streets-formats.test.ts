import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeTar } from '../../../pipeline/streets/build-streets.ts';
import { decodePolyline, nameManeuver } from '../../../pipeline/streets/find-path.ts';
import { readTarEntries } from '../../support/checks/tar.ts';
import { makeFolder } from './made-up-town.ts';

describe('an encoded polyline', () => {
  it('is decoded as specified, with six decimals', () => {
    expect(decodePolyline('_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI')).toEqual([
      { lat: 38.5, lon: -120.2 },
      { lat: 40.7, lon: -120.95 },
      { lat: 43.252, lon: -126.453 },
    ]);
    expect(decodePolyline('')).toEqual([]);
  });

  const micro = (limit: number) => fc.integer({ min: -limit * 1e6, max: limit * 1e6 });
  it('round-trips', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(micro(90), micro(180))), (pairs) => {
        const text = pairs
          .map(([lat, lon], i) => encode(lat - (pairs[i - 1]?.[0] ?? 0)) + encode(lon - (pairs[i - 1]?.[1] ?? 0)))
          .join('');
        expect(decodePolyline(text)).toEqual(pairs.map(([lat, lon]) => ({ lat: lat / 1e6, lon: lon / 1e6 })));
      }),
    );
  });

  function encode(difference: number): string {
    let value = difference < 0 ? -difference * 2 - 1 : difference * 2;
    let text = '';
    for (; value >= 32; value = Math.floor(value / 32)) text += String.fromCharCode((value % 32) + 32 + 63);
    return text + String.fromCharCode(value + 63);
  }
});

it('names all manoeuvres, including unknown ones', () => {
  expect([1, 10, 15, 40, 4, 30, 99].map(nameManeuver)).toEqual([
    'start',
    'turnRight',
    'turnLeft',
    'stairs',
    'destination',
    'continue',
    'continue',
  ]);
  for (let type = 1; type < 50; type++) expect(nameManeuver(type)).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
});

describe('a tar archive', () => {
  let folder: string;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ folder, remove } = await makeFolder());
  });
  afterEach(() => remove());

  it('contains its files byte for byte', async () => {
    const contents = new Map([0, 1, 511, 512, 513, 70_000].map((bytes) => [`2/000/${bytes}.gph`, pattern(bytes)]));
    await mkdir(path.join(folder, '2', '000'), { recursive: true });
    for (const [name, content] of contents) await writeFile(path.join(folder, name), content);
    const file = path.join(folder, 'all.tar');
    const bytes = await writeTar(file, folder, [...contents.keys()]);
    const archive = await readFile(file);
    expect(archive.length).toBe(bytes);
    expect(new Map(readTarEntries(archive).map((entry) => [entry.name, Buffer.from(entry.bytes)]))).toEqual(contents);
    await expect(writeTar(file, folder, [])).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('refuses names that are too long', async () => {
    const name = 'x'.repeat(101);
    await writeFile(path.join(folder, name), '');
    await expect(writeTar(path.join(folder, 'all.tar'), folder, [name])).rejects.toThrow('is too long a name');
  });

  const pattern = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 7) % 251));
});
