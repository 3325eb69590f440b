import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlaceIndex, type PlacesIndex } from '../../api/engine/places/place-index.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { buildPlaces, type PlacesOutcome } from '../../pipeline/places/build-places.ts';
import { readPlacesSnapshot } from '../../pipeline/snapshots/places-files.ts';
import { measurePlaceQuality } from '../bench/places-quality.ts';
import { silentLog } from '../support/worlds/ingest.ts';
import { realData } from '../support/worlds/real-data.ts';

let dataDir: string;
let outcome: PlacesOutcome;
let index: PlacesIndex;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-places-'));
  const pbf = realData('osm/liechtenstein.osm.pbf');
  const request = { pbf, registerFolder: null, dataDir, signal: new AbortController().signal };
  outcome = await buildPlaces(request, { clock: systemClock, log: silentLog });
  index = openPlaceIndex(await readPlacesSnapshot(dataDir, outcome.manifest.id));
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe('addresses and places of Liechtenstein', () => {
  it('are published or refused with a code', () => {
    const { addresses, places, streets } = outcome.manifest;
    for (const { read, published, refused } of [addresses, places, streets]) {
      expect(read).toBe(published + Object.values(refused).reduce((sum, count) => sum + count, 0));
    }
    expect(addresses.published).toBeGreaterThan(3000);
    expect(places.published).toBeGreaterThan(800);
    expect(streets.published).toBeGreaterThan(2000);
  });

  it('are found by what riders type', () => {
    for (const { name, value } of measurePlaceQuality('Liechtenstein', index)) {
      const atLeast = name.endsWith('hit at 5') ? 95 : 80;
      expect(value, name).toBeGreaterThanOrEqual(atLeast);
    }
  });
});
