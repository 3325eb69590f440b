import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openPlaceIndex } from '../../../api/engine/places/place-index.ts';
import { presentPlace } from '../../../api/engine/places/present-place.ts';
import { searchPlaces } from '../../../api/engine/places/search-places.ts';
import { keepSamplePlaces } from '../../../jobs/schedule/sample-places.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { writeJsonAtomically } from '../../../pipeline/effects/files.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { distanceMeters } from '../../../pipeline/model/geo.ts';
import { findCurrentPlacesId, placesFolder, readPlacesSnapshot } from '../../../pipeline/snapshots/places-files.ts';
import { temporaryFolder } from '../../jobs/fake-world.ts';

const effects = { clock: fixedClock(0 as never), log: silentLog };

describe('the addresses of the sample', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await temporaryFolder();
    await keepSamplePlaces(dataDir, effects, true);
  });

  const search = async (query: string) => {
    const id = await findCurrentPlacesId(dataDir);
    const index = openPlaceIndex(await readPlacesSnapshot(dataDir, id!));
    return searchPlaces(index, { query, limit: 5, kinds: ['poi', 'address'] }).map((row) => presentPlace(index, row));
  };

  test.each([
    ['Mariahilfer Straße 12', 'Mariahilfer Straße 12, 1070 Wien', 48.2008, 16.3592],
    ['mariahilfer str 77', 'Mariahilfer Straße 77, 1060 Wien', 48.1978, 16.3483],
    ['Annenstraße 70 Graz', 'Annenstraße 70, 8020 Graz', 47.072, 15.418],
    ['Schloss Schönbrunn', 'Schloss Schönbrunn, Wien', 48.1848, 16.3122],
    ['gosausee', 'Vorderer Gosausee', 47.5335, 13.4975],
  ])('answer "%s"', async (query, name, lat, lon) => {
    const [found] = await search(query);
    expect(found?.name).toBe(name);
    expect(distanceMeters(found!.coord!.lat, found!.coord!.lon, lat, lon)).toBeLessThan(150);
  });

  test('are published once, and withdrawn with the sample', async () => {
    const id = await findCurrentPlacesId(dataDir);
    await keepSamplePlaces(dataDir, effects, true);
    expect(await findCurrentPlacesId(dataDir)).toBe(id);
    await keepSamplePlaces(dataDir, effects, false);
    expect(await findCurrentPlacesId(dataDir)).toBeNull();
  });

  test('leave an index of an extract alone', async () => {
    const id = await findCurrentPlacesId(dataDir);
    const file = path.join(placesFolder(dataDir), id!, 'manifest.json');
    const { manifest } = await readPlacesSnapshot(dataDir, id!);
    await writeJsonAtomically(file, {
      ...manifest,
      id: 'other',
      extract: { ...manifest.extract, name: 'austria.osm.pbf' },
    });
    for (const isSampleServed of [true, false]) await keepSamplePlaces(dataDir, effects, isSampleServed);
    expect(await findCurrentPlacesId(dataDir)).toBe(id);
  });
});
