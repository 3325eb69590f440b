import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../effects/clock.ts';
import { syncFolder, writeJsonAtomically } from '../effects/files.ts';
import type { Log } from '../effects/log.ts';
import { withTemporaryFolder } from '../effects/temporary-folders.ts';
import { WorldError } from '../effects/world-error.ts';
import { builderConfig } from './engine-config.ts';
import {
  currentStreetsFile,
  findCurrentStreetsId,
  findStreetsManifest,
  hasAllTiles,
  STREETS_RULES_VERSION,
  type StreetsManifest,
  streetsFolder,
  streetsManifestFile,
} from './published-streets.ts';
import { type PbfFacts, readPbfFacts } from './read-pbf-facts.ts';
import { runTileBuilder, streetsEmpty } from './run-tile-builder.ts';
import { getTileBuilder } from './street-engine.ts';
import { writeTar } from './write-tar.ts';

export interface StreetsRequest {
  /** An OSM PBF file. */
  readonly pbf: string;
  readonly dataDir: string;
  /** Gives the build up. */
  readonly signal: AbortSignal;
  /** The program that builds tiles; that of the street engine when left out. */
  readonly program?: string;
}

export interface StreetsOutcome {
  readonly manifest: StreetsManifest;
  readonly isUnchanged: boolean;
}

/** Graphs that stay on disk, the current one included. */
const KEPT_GRAPHS = 2;
/** Below the folder of the graphs, where half-built ones lie; only one build runs at a time. */
const WORK = 'work';

/**
 * Builds the graph of streets of an area and makes it the current one: written aside, renamed, and only then pointed at.
 * The same file under the same rules is the same graph, which is not built twice. Only one of these runs at a time.
 * @throws WorldError `pbf_missing`, `pbf_unreadable`, `streets_unsupported`, `streets_empty`, `disk_full`, `tile_builder_…`;
 * the signal's reason
 */
export async function buildStreets(
  request: StreetsRequest,
  effects: { clock: Clock; log: Log },
): Promise<StreetsOutcome> {
  const { pbf, dataDir } = request;
  effects.log.progress('streets: reading the file');
  const facts = await readPbfFacts(pbf);
  const id = nameGraph(facts);
  const built = await findComplete(dataDir, id);
  if (built && (await findCurrentStreetsId(dataDir)) === id) return { manifest: built, isUnchanged: true };
  const manifest = built ?? (await buildGraph(request, id, facts, effects));
  await writeJsonAtomically(currentStreetsFile(dataDir), { id });
  await dropOldGraphs(streetsFolder(dataDir), id);
  return { manifest, isUnchanged: false };
}

function nameGraph({ sha256 }: PbfFacts): string {
  const hash = createHash('sha256').update(JSON.stringify([STREETS_RULES_VERSION, sha256]));
  return hash.digest('hex').slice(0, 16);
}

/** @returns null for a graph that is not there, or not whole */
async function findComplete(dataDir: string, id: string): Promise<StreetsManifest | null> {
  const manifest = await findStreetsManifest(dataDir, id);
  return manifest && (await hasAllTiles(dataDir, manifest)) ? manifest : null;
}

async function buildGraph(
  request: StreetsRequest,
  id: string,
  facts: PbfFacts,
  { clock, log }: { clock: Clock; log: Log },
): Promise<StreetsManifest> {
  const folder = streetsFolder(request.dataDir);
  const work = path.join(folder, WORK);
  // What killed builds have left behind.
  await rm(work, { recursive: true, force: true });
  const program = request.program ?? getTileBuilder();
  return withTemporaryFolder(work, async (aside) => {
    await buildTiles(request, program, aside, log);
    await checkUnchanged(request.pbf, facts);
    const tiles = await packTiles(aside, request.pbf);
    const manifest: StreetsManifest = {
      kind: 'streets',
      rulesVersion: STREETS_RULES_VERSION,
      id,
      createdAt: new Date(clock.nowMilliseconds()).toISOString(),
      source: { name: path.basename(request.pbf), bytes: facts.bytes, sha256: facts.sha256 },
      tiles,
    };
    await writeJsonAtomically(path.join(aside, 'graph', 'manifest.json'), manifest);
    const published = path.dirname(streetsManifestFile(request.dataDir, id));
    await rm(published, { recursive: true, force: true });
    await rename(path.join(aside, 'graph'), published);
    await syncFolder(folder);
    return manifest;
  });
}

async function buildTiles({ pbf, signal }: StreetsRequest, program: string, aside: string, log: Log): Promise<void> {
  const tileDir = path.join(aside, 'tiles');
  await mkdir(tileDir);
  const configFile = path.join(aside, 'config.json');
  await writeFile(configFile, JSON.stringify(builderConfig(path.resolve(tileDir))));
  await runTileBuilder(
    { program, folder: aside, configFile: path.resolve(configFile), pbf: path.resolve(pbf), signal },
    log,
  );
}

/** @throws WorldError `streets_empty` */
async function packTiles(aside: string, pbf: string): Promise<StreetsManifest['tiles']> {
  const tileDir = path.join(aside, 'tiles');
  const names = (await readdir(tileDir, { recursive: true }))
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.gph'))
    .sort();
  if (names.length === 0) throw streetsEmpty(pbf);
  const graph = path.join(aside, 'graph');
  await mkdir(graph);
  return { count: names.length, bytes: await writeTar(path.join(graph, 'tiles.tar'), tileDir, names) };
}

/** @throws WorldError `pbf_unreadable` when somebody has written to the file meanwhile, e.g. a download */
async function checkUnchanged(pbf: string, facts: PbfFacts): Promise<void> {
  const { size, mtimeMs } = await stat(pbf);
  if (size === facts.bytes && mtimeMs === facts.modifiedAt) return;
  throw new WorldError('pbf_unreadable', `${pbf} has changed while it was read`, { isRetryable: true });
}

/** The newest stay, among them the current one. */
async function dropOldGraphs(folder: string, currentId: string): Promise<void> {
  const others: { name: string; time: number }[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === currentId || entry.name === WORK) continue;
    others.push({ name: entry.name, time: (await stat(path.join(folder, entry.name))).mtimeMs });
  }
  others.sort((a, b) => b.time - a.time);
  for (const { name } of others.slice(KEPT_GRAPHS - 1)) await rm(path.join(folder, name), { recursive: true });
}
