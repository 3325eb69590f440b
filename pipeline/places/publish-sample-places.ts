import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Clock } from '../effects/clock.ts';
import { writeJsonAtomically } from '../effects/files.ts';
import {
  PLACE_UNITS_PER_DEGREE,
  PLACES_FORMAT_VERSION,
  type PlacesManifest,
  SAMPLE_PLACES,
} from '../snapshots/places-contract.ts';
import { currentPlacesFile, findCurrentPlacesId, findPlacesManifest } from '../snapshots/places-files.ts';
import { countRows } from './build-places.ts';
import { buildPlaceTables } from './build-tables.ts';
import { addObject } from './osm/add-object.ts';
import { interpretTags } from './osm/interpret-tags.ts';
import { createPlaceRows } from './rows/place-rows.ts';
import { writeIndex } from './write-index.ts';

interface TaggedPoint {
  readonly lat: number;
  readonly lon: number;
  readonly tags: ReadonlyMap<string, string>;
}

/**
 * Publishes the made-up addresses of the sample as the current index, unless there is one of an extract.
 * @returns the manifest; null if nothing was published
 */
export async function publishSamplePlaces(
  points: readonly TaggedPoint[],
  dataDir: string,
  clock: Clock,
): Promise<PlacesManifest | null> {
  const text = JSON.stringify(points.map(({ lat, lon, tags }) => [lat, lon, ...tags]));
  const sha256 = createHash('sha256').update(`${PLACES_FORMAT_VERSION} ${text}`).digest('hex');
  const id = sha256.slice(0, 16);
  const current = await findCurrent(dataDir);
  if (current !== null && (current.id === id || !isOfSample(current))) return null;
  const rows = createPlaceRows();
  for (const [i, { lat, lon, tags }] of points.entries()) {
    const point = { lat: Math.round(lat * PLACE_UNITS_PER_DEGREE), lon: Math.round(lon * PLACE_UNITS_PER_DEGREE) };
    addObject(rows, 'node', i + 1, interpretTags(tags), point);
  }
  const tables = buildPlaceTables(rows);
  const manifest = await writeIndex(dataDir, tables, (files) => ({
    kind: 'places',
    formatVersion: PLACES_FORMAT_VERSION,
    id,
    createdAt: new Date(clock.nowMilliseconds()).toISOString(),
    extract: { name: SAMPLE_PLACES, bytes: text.length, sha256 },
    register: null,
    ...countRows(rows, tables),
    stopsCovered: null,
    files,
  }));
  await writeJsonAtomically(currentPlacesFile(dataDir), { id });
  return manifest;
}

/** Withdraws the made-up addresses: they are not those of a real timetable. */
export async function withdrawSamplePlaces(dataDir: string): Promise<void> {
  const current = await findCurrent(dataDir);
  if (current !== null && isOfSample(current)) await rm(currentPlacesFile(dataDir));
}

async function findCurrent(dataDir: string): Promise<PlacesManifest | null> {
  const id = await findCurrentPlacesId(dataDir);
  return id === null ? null : findPlacesManifest(dataDir, id);
}

const isOfSample = ({ extract }: PlacesManifest) => extract.name === SAMPLE_PLACES;
