import { createHash } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { readPublished } from '../effects/arrow-table.ts';
import type { Clock } from '../effects/clock.ts';
import { ExternalError } from '../effects/external-error.ts';
import { listFolders, writeJsonAtomically } from '../effects/files.ts';
import type { Log } from '../effects/log.ts';
import { isCoordinate } from '../model/geo.ts';
import {
  cellOf,
  listCellRows,
  PLACES_FORMAT_VERSION,
  type PlaceInput,
  type PlacesManifest,
  type PlaceTables,
  type PlaceTally,
} from '../snapshots/places-contract.ts';
import { currentPlacesFile, findCurrentPlacesId, findPlacesManifest, placesFolder } from '../snapshots/places-files.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../snapshots/timetable-files.ts';
import { checkUnchanged, readPbfFacts } from '../streets/pbf-facts.ts';
import { buildPlaceTables } from './build-tables.ts';
import { readExtract } from './osm/read-extract.ts';
import { findRegister, type RegisterFiles, readRegister } from './register/read-register.ts';
import { createPlaceRows, type PlaceRows, type RowTally } from './rows/place-rows.ts';
import { writeIndex } from './write-index.ts';

interface PlacesRequest {
  /** An OSM PBF file. */
  readonly pbf: string;
  /** Folder with the unpacked tables of Austria's address register; null: not used. */
  readonly registerFolder: string | null;
  readonly dataDir: string;
  readonly signal: AbortSignal;
}

interface PlacesEffects {
  readonly clock: Clock;
  readonly log: Log;
}

export interface PlacesOutcome {
  readonly manifest: PlacesManifest;
  readonly isUnchanged: boolean;
}

/** Indexes kept on disk, including the current one. */
const KEPT_INDEXES = 2;

/**
 * Builds the place index and makes it the current one: it is written aside, renamed, and finally pointed to, so that
 * the previous index stays in use until then. Equal inputs under equal rules are the same index, built once.
 * @throws ExternalError `pbf_missing`, `pbf_unreadable`, `register_unreadable`, `places_empty`, `places_elsewhere`; the
 *   signal's reason
 */
export async function buildPlaces(request: PlacesRequest, effects: PlacesEffects): Promise<PlacesOutcome> {
  const { pbf, registerFolder, dataDir } = request;
  effects.log.progress('places: reading the file');
  const facts = await readPbfFacts(pbf);
  const register = registerFolder === null ? null : await findRegister(registerFolder);
  const id = nameIndex(facts.sha256, register);
  const built = await findComplete(dataDir, id);
  if (built && (await findCurrentPlacesId(dataDir)) === id) return { manifest: built, isUnchanged: true };
  const extract = { name: path.basename(pbf), bytes: facts.bytes, sha256: facts.sha256 };
  const manifest = built ?? (await buildIndex(request, id, extract, register, effects));
  await checkUnchanged(pbf, facts);
  await writeJsonAtomically(currentPlacesFile(dataDir), { id });
  await dropOldIndexes(placesFolder(dataDir), id);
  return { manifest, isUnchanged: false };
}

function nameIndex(sha256: string, register: RegisterFiles | null): string {
  const named = [PLACES_FORMAT_VERSION, sha256, register?.input.sha256 ?? null];
  return createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 16);
}

/** @returns null for a missing or damaged index */
async function findComplete(dataDir: string, id: string): Promise<PlacesManifest | null> {
  const manifest = await findPlacesManifest(dataDir, id);
  if (manifest === null) return null;
  try {
    for (const [file, facts] of Object.entries(manifest.files)) {
      await readPublished(path.join(placesFolder(dataDir), id, file), facts);
    }
    return manifest;
  } catch {
    // Missing or damaged: it is built again.
    return null;
  }
}

async function buildIndex(
  { pbf, dataDir, signal }: PlacesRequest,
  id: string,
  extract: PlaceInput,
  register: RegisterFiles | null,
  { clock, log }: PlacesEffects,
): Promise<PlacesManifest> {
  const rows = createPlaceRows();
  await readExtract(pbf, rows, { log, signal });
  if (register) {
    log.progress('places: reading the address register');
    await readRegister(register, rows, { signal });
  }
  log.progress('places: building the index');
  const tables = buildPlaceTables(rows);
  if (tables.places.kind.length === 0) {
    throw new ExternalError('places_empty', `${pbf} has no address and no place with a name`);
  }
  const stopsCovered = await measureCoverage(dataDir, tables, pbf);
  signal.throwIfAborted();
  return writeIndex(dataDir, tables, (files) => ({
    kind: 'places',
    formatVersion: PLACES_FORMAT_VERSION,
    id,
    createdAt: new Date(clock.nowMilliseconds()).toISOString(),
    extract,
    register: register?.input ?? null,
    ...countRows(rows, tables),
    stopsCovered,
    files,
  }));
}

export function countRows({ tallies }: PlaceRows, { places, placeStreets, placeHouses }: PlaceTables) {
  const streets = placeStreets.firstHouse.length - 1;
  const addresses = placeHouses.ref.length;
  const named = places.kind.length - streets;
  return {
    rows: { places: named, streets, addresses },
    addresses: closeTally('addresses', tallies.addresses, addresses),
    places: closeTally('places', tallies.places, named),
    streets: closeTally('streets', tallies.streets, tallies.streets.read - tallies.streets.refusedCount()),
  };
}

/** @throws Error for a bug: a row that was lost */
function closeTally(name: string, tally: RowTally, published: number): PlaceTally {
  if (tally.read !== published + tally.refusedCount()) {
    throw new Error(`${name}: ${tally.read} rows were read, ${published} published, ${tally.refusedCount()} refused`);
  }
  return { read: tally.read, published, refused: Object.fromEntries([...tally.refused].sort()) };
}

/** Cells around a stop in which a place covers it: some two kilometres. */
const COVER_CELLS = 4;

/**
 * The share of the published timetable's stops near any place; null without a timetable.
 * @throws ExternalError `places_elsewhere` if there are stops, but none is near a place
 */
async function measureCoverage(dataDir: string, tables: PlaceTables, pbf: string): Promise<number | null> {
  const timetableId = await findCurrentTimetableId(dataDir);
  if (timetableId === null) return null;
  const { lat, lon } = (await readTimetableSnapshot(dataDir, timetableId)).tables.stops;
  const known = new Set(tables.placeCells.cell);
  let [stops, covered] = [0, 0];
  for (let stop = 0; stop < lat.length; stop++) {
    if (!isCoordinate(lat[stop]!, lon[stop]!)) continue;
    stops++;
    if (isCovered(known, lat[stop]!, lon[stop]!)) covered++;
  }
  if (stops > 0 && covered === 0) {
    throw new ExternalError('places_elsewhere', `${pbf} covers none of the ${stops} stops of the timetable`);
  }
  return stops === 0 ? null : covered / stops;
}

function isCovered(known: ReadonlySet<number>, lat: number, lon: number): boolean {
  if (known.has(cellOf(lat, lon))) return true;
  return listCellRows(lat, lon, COVER_CELLS).some(({ first, last }) => {
    for (let cell = first; cell <= last; cell++) if (known.has(cell)) return true;
    return false;
  });
}

/** Keeps the newest indexes, including the current one. */
async function dropOldIndexes(folder: string, currentId: string): Promise<void> {
  const others: { name: string; time: number }[] = [];
  for (const name of await listFolders(folder)) {
    if (name === currentId || name.startsWith('.')) continue;
    others.push({ name, time: (await stat(path.join(folder, name))).mtimeMs });
  }
  others.sort((a, b) => b.time - a.time);
  for (const { name } of others.slice(KEPT_INDEXES - 1)) await rm(path.join(folder, name), { recursive: true });
}
