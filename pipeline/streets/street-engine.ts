import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { isSystemError, WorldError } from '../effects/world-error.ts';
import { engineConfig } from './engine-config.ts';

/** What the street engine is asked, under its own names. */
export type StreetAction = 'route' | 'matrix' | 'locate';

/** The street engine over one graph. It works in the system's pool of threads; its answers come in any order. */
export interface StreetEngine {
  /**
   * @param query JSON, as is the answer
   * @throws Error with the engine's words
   */
  ask(action: StreetAction, query: string): Promise<string>;
}

/** The kind of machine that programs are built for, in the words of Node. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
}

type Actor = Readonly<Record<StreetAction, (query: string) => Promise<string>>>;

interface EnginePackage {
  readonly Actor: new (config: string) => Actor;
}

/** Optional: the service is installed, built and started without it, so no import names it. */
const PACKAGE = '@valhallajs/valhallajs';
const KNOWN_MACHINES: readonly string[] = ['linux x64', 'linux arm64', 'darwin arm64'];

const require = createRequire(import.meta.url);

/**
 * The engines of this process by their file of tiles, kept for ever. The package makes a worker of its own for each
 * thread of the system's pool, never frees it, and finds it by the address of the `Actor` in memory. Were an `Actor`
 * collected, its workers would be lost memory, and the next one at its address would answer from their tiles.
 */
const engines = new Map<string, StreetEngine>();

/**
 * Opens the street engine on a graph, once in this process. Threads that end would take their engines with them, and
 * leave the workers behind: they ask the main thread's instead.
 * @param tiles a file as `build-streets` writes it; one that is missing or damaged is a graph without streets
 * @throws WorldError `streets_unsupported`
 */
export function openStreetEngine(tiles: string): StreetEngine {
  assert(isMainThread, 'the street engine is opened in the main thread; others share it');
  const open = engines.get(tiles);
  if (open) return open;
  const { Actor } = loadPackage();
  const actor = new Actor(JSON.stringify(engineConfig(tiles)));
  const engine: StreetEngine = { ask: (action, query) => actor[action](query) };
  engines.set(tiles, engine);
  return engine;
}

/**
 * The program of the package that builds tiles.
 * @throws WorldError `streets_unsupported` where there is none
 */
export function getTileBuilder(machine: Machine = process): string {
  const folder = path.dirname(findPackage(machine));
  return path.join(folder, machine.platform, machine.arch, 'valhalla_build_tiles');
}

function loadPackage(): EnginePackage {
  const file = findPackage(process);
  try {
    return require(file) as EnginePackage;
  } catch (error) {
    // A file of ours cannot be what is missing: the linker of another C library than the package was built for, e.g.
    throw unsupported(`cannot be loaded here: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function findPackage({ platform, arch }: Machine): string {
  if (!KNOWN_MACHINES.includes(`${platform} ${arch}`)) {
    throw unsupported(`runs on Linux (x64, arm64) and macOS (arm64), not on ${platform} ${arch}`);
  }
  try {
    return require.resolve(PACKAGE);
  } catch (error) {
    if (isSystemError(error, 'MODULE_NOT_FOUND')) throw unsupported('is not installed; "npm install" brings it', error);
    throw error;
  }
}

/** What the engine lacks here, as the end of a sentence; the service goes on without streets. */
export function unsupported(why: string, cause?: unknown): WorldError {
  return new WorldError('streets_unsupported', `the street engine ${PACKAGE} ${why}`, { cause });
}
