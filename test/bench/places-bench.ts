import { existsSync } from 'node:fs';
import process from 'node:process';
import { openPlaceIndex } from '../../api/engine/places/place-index.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { writeJsonAtomically } from '../../pipeline/effects/files.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { buildPlaces } from '../../pipeline/places/build-places.ts';
import { buildPlaceTables } from '../../pipeline/places/build-tables.ts';
import { writeIndex } from '../../pipeline/places/write-index.ts';
import { PLACES_FORMAT_VERSION } from '../../pipeline/snapshots/places-contract.ts';
import { currentPlacesFile, readPlacesSnapshot } from '../../pipeline/snapshots/places-files.ts';
import { realData } from '../support/worlds/real-data.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import type { PlacesInput } from './child-tasks.ts';
import { type CountrySize, makeCountry } from './made-up-country.ts';
import type { Metric } from './metric.ts';
import { measurePlaceQuality } from './places-quality.ts';

const AUSTRIA: CountrySize = { villages: 17_000, addresses: 2_600_000, places: 400_000 };
const QUICK = 10;
const LIECHTENSTEIN = 'osm/liechtenstein.osm.pbf';

/** Measures the index of a made-up country of Austria's size and, where the file is, that of Liechtenstein. */
export async function benchPlaces({ size, makeFolder, progress }: Bench): Promise<Metric[]> {
  const isQuick = size.name !== 'national';
  const part = isQuick ? QUICK : 1;
  const country = {
    villages: AUSTRIA.villages / part,
    addresses: AUSTRIA.addresses / part,
    places: AUSTRIA.places / part,
  };
  const dataDir = await makeFolder();
  progress(`index of a made-up country with ${country.addresses} addresses and ${country.places} places`);
  const built = await runInChild('places_build', { dataDir, size: country });
  const used = await runInChild('places_search', { dataDir });
  return [...built, ...used, ...(await benchExtract(await makeFolder(), progress))];
}

async function benchExtract(dataDir: string, progress: (line: string) => void): Promise<Metric[]> {
  const pbf = realData(LIECHTENSTEIN);
  if (!existsSync(pbf)) {
    progress(`SKIPPED: quality of the search of places; ${pbf} does not exist. Set TAKTGEBER_REAL_DATA to its folder.`);
    return [];
  }
  const started = performance.now();
  const request = { pbf, registerFolder: null, dataDir, signal: new AbortController().signal };
  const { manifest } = await buildPlaces(request, { clock: systemClock, log: silentLog });
  const seconds = (performance.now() - started) / 1000;
  const index = openPlaceIndex(await readPlacesSnapshot(dataDir, manifest.id));
  return [
    { name: 'places: build Liechtenstein (2.4 MB)', value: seconds, unit: 's' },
    ...measurePlaceQuality('Liechtenstein', index),
  ];
}

/** Builds and publishes the index in a separate process. */
export async function buildCountry({ dataDir, size }: PlacesInput): Promise<Metric[]> {
  const rows = makeCountry(size);
  const started = performance.now();
  const tables = buildPlaceTables(rows);
  const nothing = { read: 0, published: 0, refused: {} };
  const streets = tables.placeStreets.firstHouse.length - 1;
  const addresses = tables.placeHouses.ref.length;
  const manifest = await writeIndex(dataDir, tables, (files) => ({
    kind: 'places',
    formatVersion: PLACES_FORMAT_VERSION,
    id: 'country',
    createdAt: new Date(0).toISOString(),
    extract: { name: 'made-up', bytes: 0, sha256: '' },
    register: null,
    rows: { places: tables.places.ref.length - streets, streets, addresses },
    addresses: nothing,
    places: nothing,
    streets: nothing,
    stopsCovered: null,
    files,
  }));
  await writeJsonAtomically(currentPlacesFile(dataDir), { id: manifest.id });
  const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
  const seconds = (performance.now() - started) / 1000;
  return [
    { name: 'places: country, addresses', value: addresses, unit: '' },
    { name: 'places: country, streets and places', value: tables.places.ref.length, unit: '' },
    { name: 'places: country, build from rows', value: seconds, unit: 's', target: { atMost: 600 } },
    { name: 'places: country, memory of the build', value: maxMegabytes(), unit: 'MB', target: { atMost: 2000 } },
    { name: 'places: country, size on disk', value: bytes / 1e6, unit: 'MB', target: { atMost: 600 } },
  ];
}

function maxMegabytes(): number {
  return process.resourceUsage().maxRSS / 1000;
}
