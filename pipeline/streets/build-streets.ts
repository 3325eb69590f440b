import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Clock } from '../effects/clock.ts';
import { ExternalError } from '../effects/external-error.ts';
import { syncFolder, writeJsonAtomically } from '../effects/files.ts';
import type { Log } from '../effects/log.ts';
import { withTemporaryFolder } from '../effects/temporary-folders.ts';
import { builderConfig } from './engine-config.ts';
import { checkUnchanged, type PbfFacts, readPbfFacts } from './pbf-facts.ts';
import {
  currentStreetsFile,
  findCurrentStreetsId,
  findStreetsManifest,
  hasAllTiles,
  PARK_AND_RIDE,
  STREETS_RULES_VERSION,
  type StreetMode,
  type StreetsManifest,
  streetsFolder,
  streetsManifestFile,
} from './published-streets.ts';
import { readParkAndRide } from './read-park-and-ride.ts';
import { getTileBuilder, unsupported } from './street-engine.ts';

interface TileBuild {
  readonly program: string;
  /** Work folder for its temporary files and tiles. */
  readonly folder: string;
  readonly configFile: string;
  readonly pbf: string;
  /** Aborts it immediately. */
  readonly signal: AbortSignal;
}

/** How the process ended. */
interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of its error output. */
  readonly words: string;
}

/** Lines of the builder's output that begin a long step. */
const steps: readonly (readonly [line: RegExp, step: string])[] = [
  [/Parsing ways\.\.\./, 'reading ways'],
  [/Parsing relations\.\.\./, 'reading relations'],
  [/Parsing nodes\.\.\./, 'reading nodes'],
  [/Creating graph edges/, 'joining ways'],
  [/Building \d+ tiles/, 'writing tiles'],
  [/Enhancing local graph/, 'describing streets'],
  [/GraphFilter: Filter driving/, 'dropping edges of other modes'],
  [/Validating, finishing/, 'checking tiles'],
];

const KEPT_WORDS = 4000;

/** For an area without streets it crashes, sometimes before reporting the reason. */
const MOST_TRIES = 3;

/**
 * Runs the tile builder to its end, and logs its steps.
 * @throws ExternalError in one sentence; the signal's reason
 */
async function runTileBuilder(build: TileBuild, log: Log): Promise<void> {
  for (let tries = 1; ; tries++) {
    const end = await runOnce(build, log);
    if (end.code === 0) return;
    const isSilent = end.signal === 'SIGSEGV' && end.words === '';
    if (!isSilent || tries === MOST_TRIES) throw describeFailure(end, build.pbf);
  }
}

/** @throws ExternalError if it cannot be started; the signal's reason */
async function runOnce(build: TileBuild, log: Log): Promise<End> {
  build.signal.throwIfAborted();
  const child = spawn(build.program, ['-c', build.configFile, build.pbf], {
    cwd: build.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => child.kill('SIGKILL');
  build.signal.addEventListener('abort', stop, { once: true });
  // Exiting the process during the build skips the `finally`.
  process.once('exit', stop);
  try {
    const end = await follow(child, log);
    build.signal.throwIfAborted();
    return end;
  } finally {
    build.signal.removeEventListener('abort', stop);
    process.off('exit', stop);
  }
}

/** @throws ExternalError `streets_unsupported` if the program cannot be started, e.g. for lack of its C library */
function follow(child: ChildProcessByStdio<null, Readable, Readable>, log: Log): Promise<End> {
  let words = '';
  const keep = (text: string) => {
    words = (words + text).slice(-KEPT_WORDS);
  };
  child.stderr.setEncoding('utf8').on('data', keep);
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('[ERROR]')) keep(`${line}\n`);
    const step = steps.find(([pattern]) => pattern.test(line));
    if (step) log.progress(`streets: ${step[1]}`);
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(unsupported(`cannot be run here: ${error.message}`, error)));
    child.on('close', (code, signal) => resolve({ code, signal, words }));
  });
}

function describeFailure({ code, signal, words }: End, pbf: string): ExternalError {
  const what = /what\(\):\s*(.*)/.exec(words)?.[1];
  // It maps files larger than the free disk space, which raises a bus error.
  if (signal === 'SIGBUS' || /No space left/.test(words)) {
    return new ExternalError(
      'disk_full',
      'the disk is full; building streets takes about five times the size of the file',
    );
  }
  if (/osmium|protozero|PBF/i.test(words)) {
    return new ExternalError('pbf_unreadable', `${pbf} is damaged, or no OSM PBF file: ${what ?? 'it cannot be read'}`);
  }
  // An empty graph, for which it computes invalid tile ids.
  if (/GraphId level exceeds|GraphId with invalid tile id/.test(words)) return streetsEmpty(pbf);
  if (signal === 'SIGKILL') {
    return new ExternalError('tile_builder_killed', 'the tile builder was killed, possibly because memory ran out');
  }
  const how = signal ? `was ended by ${signal}` : `ended with ${code}`;
  return new ExternalError('tile_builder_failed', `the tile builder ${how}${what ? `: ${what}` : ''}`);
}

/** An area without anything to walk on. */
function streetsEmpty(pbf: string): ExternalError {
  return new ExternalError('streets_empty', `${pbf} contains no walkable street`);
}

const BLOCK_BYTES = 512;
/** Size of the name field, in the oldest and simplest form of a header. */
const MAX_NAME_BYTES = 100;

/**
 * Packs files, names and bytes only, into a new tar archive and syncs it to disk.
 * @param names below the folder, with forward slashes, in the archive's order
 * @returns bytes of the archive
 * @throws the system error of the step that failed
 */
export async function writeTar(file: string, folder: string, names: readonly string[]): Promise<number> {
  const handle = await open(file, 'wx');
  try {
    for (const name of names) await writeEntry(handle, name, await readFile(path.join(folder, name)));
    // Two empty blocks mark the end.
    await handle.writeFile(Buffer.alloc(2 * BLOCK_BYTES));
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

async function writeEntry(handle: FileHandle, name: string, content: Buffer): Promise<void> {
  await handle.writeFile(writeHeader(name, content.length));
  await handle.writeFile(content);
  await handle.writeFile(Buffer.alloc(-content.length & (BLOCK_BYTES - 1)));
}

/** @see POSIX.1-1988 "ustar": texts and octal numbers at fixed offsets */
function writeHeader(name: string, bytes: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new RangeError(`${name} is too long a name for an archive`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(0, 11), 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

interface StreetsRequest {
  /** An OSM PBF file. */
  readonly pbf: string;
  readonly dataDir: string;
  /** Modes for which streets are built, always including walking. */
  readonly modes: readonly StreetMode[];
  /** Aborts the build. */
  readonly signal: AbortSignal;
  /** The tile builder; default: that of the street engine. */
  readonly program?: string;
}

export interface StreetsOutcome {
  readonly manifest: StreetsManifest;
  readonly isUnchanged: boolean;
}

/** Graphs kept on disk, including the current one. */
const KEPT_GRAPHS = 2;
/** Subfolder for unfinished graphs; only one build runs at a time. */
const WORK = 'work';

/**
 * Builds the street graph of an area and makes it the current one: it is written to a temporary folder, renamed, and
 * finally pointed to. An equal file under equal rules is the same graph, which is not built twice. Only one build runs
 * at a time.
 * @throws ExternalError `pbf_missing`, `pbf_unreadable`, `streets_unsupported`, `streets_empty`, `disk_full`,
 *   `tile_builder_…`; the signal's reason
 */
export async function buildStreets(
  request: StreetsRequest,
  effects: { clock: Clock; log: Log },
): Promise<StreetsOutcome> {
  const { pbf, dataDir } = request;
  effects.log.progress('streets: reading the file');
  const facts = await readPbfFacts(pbf);
  const id = nameGraph(facts, request.modes);
  const built = await findComplete(dataDir, id);
  if (built && (await findCurrentStreetsId(dataDir)) === id) return { manifest: built, isUnchanged: true };
  const manifest = built ?? (await buildGraph(request, id, facts, effects));
  await writeJsonAtomically(currentStreetsFile(dataDir), { id });
  await dropOldGraphs(streetsFolder(dataDir), id);
  return { manifest, isUnchanged: false };
}

function nameGraph({ sha256 }: PbfFacts, modes: readonly StreetMode[]): string {
  const hash = createHash('sha256').update(JSON.stringify([STREETS_RULES_VERSION, sha256, modes]));
  return hash.digest('hex').slice(0, 16);
}

/** @returns null for a missing or incomplete graph */
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
  // Leftovers of killed builds.
  await rm(work, { recursive: true, force: true });
  const program = request.program ?? getTileBuilder();
  return withTemporaryFolder(work, async (aside) => {
    await buildTiles(request, program, aside, log);
    const tiles = await packTiles(aside, request.pbf);
    // Checked before the file is read again, because one that was just replaced could look damaged.
    await checkUnchanged(request.pbf, facts);
    if (request.modes.includes('car')) {
      log.progress('streets: reading car parks');
      const places = await readParkAndRide(request.pbf, request.signal);
      await writeJsonAtomically(path.join(aside, 'graph', PARK_AND_RIDE), { places });
    }
    await checkUnchanged(request.pbf, facts);
    const manifest: StreetsManifest = {
      kind: 'streets',
      rulesVersion: STREETS_RULES_VERSION,
      id,
      createdAt: new Date(clock.nowMilliseconds()).toISOString(),
      modes: request.modes,
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

async function buildTiles(
  { pbf, modes, signal }: StreetsRequest,
  program: string,
  aside: string,
  log: Log,
): Promise<void> {
  const tileDir = path.join(aside, 'tiles');
  await mkdir(tileDir);
  const configFile = path.join(aside, 'config.json');
  await writeFile(configFile, JSON.stringify(builderConfig(path.resolve(tileDir), modes)));
  await runTileBuilder(
    { program, folder: aside, configFile: path.resolve(configFile), pbf: path.resolve(pbf), signal },
    log,
  );
}

/** @throws ExternalError `streets_empty` */
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

/** Keeps the newest graphs, including the current one. */
async function dropOldGraphs(folder: string, currentId: string): Promise<void> {
  const others: { name: string; time: number }[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === currentId || entry.name === WORK) continue;
    others.push({ name: entry.name, time: (await stat(path.join(folder, entry.name))).mtimeMs });
  }
  others.sort((a, b) => b.time - a.time);
  for (const { name } of others.slice(KEPT_GRAPHS - 1)) await rm(path.join(folder, name), { recursive: true });
}
