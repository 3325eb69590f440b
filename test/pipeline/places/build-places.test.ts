import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openPlaceIndex } from '../../../api/engine/places/place-index.ts';
import { presentPlace } from '../../../api/engine/places/present-place.ts';
import { searchPlaces } from '../../../api/engine/places/search-places.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { buildPlaces } from '../../../pipeline/places/build-places.ts';
import { findCurrentPlacesId, readPlacesSnapshot } from '../../../pipeline/snapshots/places-files.ts';
import { temporaryFolder } from '../../jobs/fake-world.ts';
import { type OsmRelation, type OsmWay, writeOsmPbf } from '../../support/worlds/osm-pbf.ts';

const corners = [
  { id: 10, lat: 47.6, lon: 15.6 },
  { id: 11, lat: 47.6, lon: 15.602 },
  { id: 12, lat: 47.602, lon: 15.602 },
  { id: 13, lat: 47.602, lon: 15.6 },
];
const address = (number: string, street = 'Hauptstraße') => ({
  'addr:street': street,
  'addr:housenumber': number,
  'addr:postcode': '8600',
});
const nodes = [
  { id: 1, lat: 47.601, lon: 15.601, tags: { place: 'town', name: 'Neustadt', 'name:en': 'Newtown' } },
  { id: 2, lat: 47.6005, lon: 15.6005, tags: address('1') },
  { id: 3, lat: 47.6006, lon: 15.6006, tags: { ...address('2'), amenity: 'cafe', name: 'Café Krone' } },
  { id: 4, lat: 47.6007, lon: 15.6006, tags: address('2') },
  { id: 5, lat: 47.6, lon: 15.6, tags: { 'addr:housenumber': '9' } },
  { id: 6, lat: 47.6, lon: 15.6, tags: address('keine') },
  { id: 7, lat: 47.61, lon: 15.61, tags: { created_by: 'nobody' } },
  ...corners.map((corner) => ({ ...corner, tags: {} })),
];
const outline = [10, 11, 12, 13, 10];
const ways: readonly OsmWay[] = [
  { id: 1, nodes: outline, tags: { ...address('3'), building: 'yes' } },
  { id: 2, nodes: [10, 11, 12], tags: { highway: 'residential', name: 'Hauptstraße' } },
  { id: 3, nodes: [12, 13], tags: { highway: 'residential', name: 'Feldweg' } },
  { id: 4, nodes: [10, 11, 12], tags: {} },
  { id: 5, nodes: [12, 13, 10], tags: {} },
  { id: 6, nodes: [99, 98], tags: { ...address('77') } },
];
const relations: readonly OsmRelation[] = [{ id: 1, ways: [4, 5], tags: { leisure: 'park', name: 'Stadtpark' } }];

let folder: string;
let pbf: string;
let dataDir: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  pbf = path.join(folder, 'map.osm.pbf');
  dataDir = path.join(folder, 'data');
  await writeOsmPbf(pbf, nodes, ways, { relations, isCompact: true });
});

const build = (registerFolder: string | null = null) =>
  buildPlaces(
    { pbf, registerFolder, dataDir, signal: new AbortController().signal },
    { clock: fixedClock('2026-03-01T12:00:00Z'), log: silentLog },
  );

async function readIndex() {
  return openPlaceIndex(await readPlacesSnapshot(dataDir, (await findCurrentPlacesId(dataDir))!));
}

async function search(query: string) {
  const index = await readIndex();
  return searchPlaces(index, { query, limit: 5, kinds: ['poi', 'address'] }).map((row) => presentPlace(index, row));
}

describe('the index of places', () => {
  it('has every row of the map, or counts it as refused', async () => {
    const { manifest } = await build();
    expect(manifest).toMatchObject({
      rows: { places: 3, streets: 2, addresses: 3 },
      addresses: {
        read: 7,
        published: 3,
        refused: { no_coordinates: 1, no_street: 1, bad_number: 1, duplicate_address: 1 },
      },
      places: { read: 3, published: 3, refused: {} },
      streets: { read: 2, published: 2, refused: {} },
      register: null,
      stopsCovered: null,
    });
  });

  it('finds addresses of nodes and buildings, places and streets', async () => {
    await build();
    expect((await search('Hauptstr 3'))[0]).toEqual({
      id: 'place:wa1',
      name: 'Hauptstraße 3, 8600 Neustadt',
      coord: { lat: 47.601, lon: 15.601 },
      kind: 'address',
    });
    expect((await search('Newtown stadtpark'))[0]).toMatchObject({ id: 'place:r1', kind: 'poi' });
    expect((await search('krone'))[0]).toMatchObject({ id: 'place:n3', name: 'Café Krone, Neustadt' });
    expect((await search('feldweg'))[0]).toMatchObject({ name: 'Feldweg, Neustadt', kind: 'address' });
  });

  it('is the same for nodes one by one, uncompressed, and keeps ids when objects are added', async () => {
    await build();
    const queries = ['Hauptstr 3', 'stadtpark', 'feldweg', 'krone'];
    const before = await Promise.all(queries.map(search));
    await writeOsmPbf(pbf, [{ id: 100, lat: 47.6, lon: 15.6, tags: { shop: 'mall', name: 'Neu' } }, ...nodes], ways, {
      relations,
    });
    expect((await build()).isUnchanged).toBe(false);
    const after = await Promise.all(queries.map(search));
    expect(after.map(([first]) => first)).toEqual(before.map(([first]) => first));
  });

  it('is built once for equal input, and again when a file is damaged', async () => {
    const first = await build();
    expect((await build()).isUnchanged).toBe(true);
    const file = path.join(dataDir, 'snapshots', 'places', first.manifest.id, 'place_houses.arrow');
    await truncate(file, 100);
    const again = await build();
    expect([again.isUnchanged, again.manifest.id]).toEqual([false, first.manifest.id]);
    expect((await search('Hauptstr 3'))[0]!.id).toBe('place:wa1');
  });

  it.each([
    ['a truncated file', async () => truncate(pbf, (await readFile(pbf)).length - 20), 'pbf_unreadable'],
    ['a file of another kind', () => writeFile(pbf, 'nothing'), 'pbf_unreadable'],
    ['a map without names', () => writeOsmPbf(pbf, [], []), 'places_empty'],
    [
      'ways of another day than the nodes',
      () =>
        writeOsmPbf(
          pbf,
          nodes.slice(0, 5),
          Array.from({ length: 40 }, (_, i) => ({ id: i + 1, nodes: [500 + i], tags: address(`${i}`) })),
        ),
      'pbf_unreadable',
    ],
  ])('refuses %s, and keeps the index of before', async (_what, damage, code) => {
    const { manifest } = await build();
    await damage();
    await expect(build()).rejects.toMatchObject({ code });
    expect(await findCurrentPlacesId(dataDir)).toBe(manifest.id);
    expect((await search('Hauptstr 3'))[0]!.id).toBe('place:wa1');
  });
});

const ADRESSE =
  'ADRCD;GKZ;OKZ;PLZ;SKZ;ZAEHLSPRENGEL;HAUSNRTEXT;HAUSNRZAHL1;HAUSNRBUCHSTABE1;HAUSNRVERBINDUNG1;HAUSNRZAHL2;' +
  'HAUSNRBUCHSTABE2;HAUSNRBEREICH;HNR_ADR_ZUSAMMEN;GNRADRESSE;HOFNAME;RW;HW;EPSG;QUELLADRESSE;BESTIMMUNGSART';
const registerFiles: Readonly<Record<string, readonly string[]>> = {
  'ADRESSE.csv': [
    ADRESSE,
    '5000090;70101;16999;6080;001319;;;41;;;;;keine Angabe;;;;80893.30;234024.51;31254;;',
    '5000091;70101;16999;6080;001319;;;43;a;/;2;;keine Angabe;;;"Hof; alt";80900.00;234030.00;31254;;',
    '5000092;90001;02000;1090;000007;;;5;;;;;keine Angabe;;;;2000.00;340000.00;31256;;',
    '5000093;62101;08600;8600;000008;;;3;;;;;keine Angabe;;;;-54000.00;274000.00;31256;;',
    '5000094;70101;16999;6080;;;;12;;;;;keine Angabe;;;;80893.30;234000.00;31254;;',
    '5000095;70101;16999;6080;001319;;;44;;;;;keine Angabe;;;;;;31254;;',
    '5000096;70101;16999;6080;001319;;;45;;;;;keine Angabe;;;;1.0;2.0;4326;;',
    '5000097;70101;16999;6080;001319;;;;;;;;keine Angabe;;;;80893.30;234024.51;31254;;',
  ],
  'Strasse.csv': [
    'SKZ;STRASSENNAME;GKZ',
    '001319;Poltenweg;70101',
    '000007;Alserbachstraße;90001',
    '000008;Hauptstraße;62101',
  ],
  'ORTSCHAFT.csv': ['GKZ;OKZ;ORTSNAME', '70101;16999;Vill', '90001;02000;Wien,Alsergrund', '62101;08600;Neustadt'],
  'GEMEINDE.csv': ['GKZ;GEMEINDENAME', '70101;Innsbruck', '90001;Wien', '62101;Neustadt'],
};

async function writeRegister(changes: Readonly<Record<string, readonly string[]>> = {}): Promise<string> {
  const register = path.join(folder, 'register');
  await mkdir(register, { recursive: true });
  for (const [name, lines] of Object.entries({ ...registerFiles, ...changes })) {
    await writeFile(path.join(register, name), `\uFEFF${lines.join('\r\n')}\r\n`);
  }
  return register;
}

describe('the address register', () => {
  it('gives its addresses, which replace those of the map', async () => {
    const { manifest } = await build(await writeRegister());
    expect(manifest.addresses).toEqual({
      read: 7 + 8,
      published: 2 + 5,
      refused: {
        bad_number: 2,
        duplicate_address: 1,
        in_register: 1,
        no_coordinates: 2,
        no_street: 1,
        unknown_coordinate_system: 1,
      },
    });
    const [first] = await search('Poltenweg 41, 6080 Innsbruck');
    expect(first).toMatchObject({ id: 'place:at5000090', name: 'Poltenweg 41, 6080 Vill' });
    expect(first!.coord!.lat).toBeCloseTo(47.240129, 5);
    expect(first!.coord!.lon).toBeCloseTo(11.401418, 5);
    expect((await search('Vill 12'))[0]).toMatchObject({ id: 'place:at5000094', name: 'Vill 12, 6080 Vill' });
    expect((await search('Poltenweg 43a/2'))[0]).toMatchObject({ id: 'place:at5000091' });
    expect((await search('alsergrund alserbachstr 5'))[0]).toMatchObject({ name: 'Alserbachstraße 5, 1090 Wien' });
    expect((await search('Hauptstraße 3 8600'))[0]).toMatchObject({ id: 'place:at5000093' });
  });

  it.each([
    [
      'with another header',
      { 'ADRESSE.csv': [ADRESSE.replace('HAUSNRZAHL1', 'HAUSNR')] },
      'lacks the column HAUSNRZAHL1',
    ],
    ['without its lines', { 'GEMEINDE.csv': [] }, 'lacks the column GKZ'],
  ])('is refused %s, and the index of before stays', async (_what, changes, message) => {
    const { manifest } = await build();
    const register = await writeRegister(changes);
    await expect(build(register)).rejects.toMatchObject({
      code: 'register_unreadable',
      message: expect.stringContaining(message),
    });
    expect(await findCurrentPlacesId(dataDir)).toBe(manifest.id);
  });

  it('is refused in a folder without its files', async () => {
    await expect(build(folder)).rejects.toMatchObject({ code: 'register_unreadable' });
  });
});
