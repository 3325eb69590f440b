import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { type Log, silentLog } from '../../../pipeline/effects/log.ts';
import { buildStreets, type StreetsOutcome } from '../../../pipeline/streets/build-streets.ts';
import { type StreetMode, streetModes } from '../../../pipeline/streets/published-streets.ts';
import type { Point } from '../../../pipeline/streets/walk-router.ts';
import { type OsmWay, type Tags, writeOsmPbf } from '../../support/worlds/osm-pbf.ts';

/**
 * Whether the street engine has a program for this machine; otherwise it reports the reason, see
 * `street-engine.test.ts`.
 */
export const hasEngine = process.platform === 'linux' || (process.platform === 'darwin' && process.arch === 'arm64');

const METERS_PER_DEGREE = (6_371_000 * Math.PI) / 180;
const ORIGIN = { lat: 47.5, lon: 13.5 };

/** A place at a distance in metres east and north of the town's south-west corner. */
export function at(east: number, north: number): Point {
  const lonMeters = METERS_PER_DEGREE * Math.cos((ORIGIN.lat * Math.PI) / 180);
  return { lat: ORIGIN.lat + north / METERS_PER_DEGREE, lon: ORIGIN.lon + east / lonMeters };
}

type Spot = readonly [east: number, north: number];

/**
 * Crossings, ends and bends of the town:
 *
 *     school ----- chapel ---- gateNorth --- station      Oberer Weg
 *       |            |             |            |
 *       |        stairHead         |            |
 *   Schulgasse       |           gate     Bahnhofstraße
 *       |        stairFoot         |            |
 *       |            |             |            |
 *     west -pier-- market ----- gateSouth --- east        Hauptstraße
 *             :
 *   ~~~~~~~~~ : ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~     a ferry, no bridge
 *             :
 *   bankWest-bankPier----------------------- bankEast     Uferweg
 */
const spots = {
  west: [0, 0],
  pier: [100, 0],
  market: [200, 0],
  gateSouth: [300, 0],
  east: [400, 0],
  stairFoot: [200, 140],
  stairHead: [200, 160],
  gate: [300, 150],
  school: [0, 300],
  chapel: [200, 300],
  gateNorth: [300, 300],
  station: [400, 300],
  bankWest: [0, -100],
  bankPier: [100, -100],
  bankEast: [400, -100],
  roadWest: [0, 450],
  roadEast: [400, 450],
} as const satisfies Readonly<Record<string, Spot>>;
export type SpotName = keyof typeof spots;

/** Positions of the crossings. */
export function spot(name: SpotName): Point {
  const [east, north] = spots[name];
  return at(east, north);
}

const nodeTags: Partial<Record<SpotName, Tags>> = { gate: { barrier: 'gate', foot: 'no', wheelchair: 'no' } };

const street = (name: string): Tags => ({ highway: 'residential', name });
const footway = (name: string): Tags => ({ highway: 'footway', name });

const ways: readonly (readonly [tags: Tags, ...spots: SpotName[]])[] = [
  [street('Hauptstraße'), 'west', 'pier', 'market', 'gateSouth', 'east'],
  [{ ...street('Bahnhofstraße'), ref: 'L 12' }, 'east', 'station'],
  [street('Schulgasse'), 'west', 'school'],
  [street('Oberer Weg'), 'school', 'chapel', 'gateNorth', 'station'],
  [footway('Stiegengasse'), 'market', 'stairFoot'],
  [{ highway: 'steps', name: 'Marienstiege' }, 'stairFoot', 'stairHead'],
  [footway('Stiegengasse'), 'stairHead', 'chapel'],
  [footway('Parkweg'), 'gateSouth', 'gate', 'gateNorth'],
  [{ route: 'ferry', foot: 'yes', name: 'Rollfähre' }, 'pier', 'bankPier'],
  [street('Uferweg'), 'bankWest', 'bankPier', 'bankEast'],
  [{ highway: 'motorway', ref: 'A 1', oneway: 'yes' }, 'roadWest', 'roadEast'],
];

/**
 * Writes the town as an OSM PBF file.
 * @param changes tags of its first street, for another variant of the town
 * @param gateTags instead of those of the gate
 */
export async function writeTown(file: string, changes: Tags = {}, gateTags?: Tags): Promise<void> {
  const names = Object.keys(spots) as SpotName[];
  const idOf = (name: SpotName) => names.indexOf(name) + 1;
  const nodes = names.map((name) => ({
    id: idOf(name),
    ...spot(name),
    tags: (name === 'gate' ? gateTags : undefined) ?? nodeTags[name] ?? {},
  }));
  const osmWays = ways.map(
    ([tags, ...along], i): OsmWay => ({
      id: i + 1,
      nodes: along.map(idOf),
      tags: i === 0 ? { ...tags, ...changes } : tags,
    }),
  );
  await writeOsmPbf(file, nodes, osmWays);
}

interface BuildSetting {
  readonly pbf: string;
  readonly dataDir: string;
  readonly modes?: readonly StreetMode[];
  readonly program?: string;
  readonly signal?: AbortSignal;
  readonly now?: string;
  readonly log?: Log;
}

export async function build(setting: BuildSetting): Promise<StreetsOutcome> {
  const { pbf, dataDir, modes = streetModes, program, signal = new AbortController().signal } = setting;
  const effects = { clock: fixedClock(setting.now ?? '2026-03-01T12:00:00Z'), log: setting.log ?? silentLog };
  return buildStreets({ pbf, dataDir, modes, signal, ...(program === undefined ? {} : { program }) }, effects);
}

/** An empty folder, and how to remove it. */
export async function makeFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-streets-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
