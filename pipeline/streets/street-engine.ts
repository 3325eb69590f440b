import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { engineConfig } from './engine-config.ts';

/** Actions of the street engine that are used, under its own names. */
export type StreetAction = 'route' | 'matrix' | 'locate';

/** The street engine over one graph. It works in the system's thread pool; its answers arrive in any order. */
export interface StreetEngine {
  /**
   * @param query JSON, as is the answer
   * @throws Error with the engine's message
   */
  request(action: StreetAction, query: string): Promise<string>;
}

/** Platform of prebuilt programs, in Node's terms. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
}

type Actor = Readonly<Record<StreetAction, (query: string) => Promise<string>>>;

interface EnginePackage {
  readonly Actor: new (config: string) => Actor;
}

/** Optional: the service can be installed, built and started without it, so it is not imported statically. */
const PACKAGE = '@valhallajs/valhallajs';
const KNOWN_MACHINES: readonly string[] = ['linux x64', 'linux arm64', 'darwin arm64'];

const require = createRequire(import.meta.url);

/**
 * The engines of this process by their file of tiles, never released. The package creates a worker for each thread of
 * the system's pool, never frees it, and looks it up by the address of the `Actor` in memory. If an `Actor` were
 * collected, its workers would leak, and the next `Actor` at its address would use their tiles.
 */
const engines = new Map<string, StreetEngine>();

/**
 * Opens the street engine on a graph, once per process. A thread that ends would leak the workers of its engine, so
 * other threads use that of the main thread.
 * @param tiles a file from `build-streets`; a missing or damaged one is an empty graph
 * @throws ExternalError `streets_unsupported`
 */
export function openStreetEngine(tiles: string): StreetEngine {
  assert(isMainThread, 'the street engine is opened in the main thread; others share it');
  const open = engines.get(tiles);
  if (open) return open;
  const { Actor } = loadPackage();
  const actor = new Actor(JSON.stringify(engineConfig(tiles)));
  const engine: StreetEngine = { request: (action, query) => actor[action](query) };
  engines.set(tiles, engine);
  return engine;
}

/**
 * Path of the package's tile builder.
 * @throws ExternalError `streets_unsupported` if the package has none
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
    // The missing file is, for example, the dynamic linker of the C library that the package needs.
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

/** Error for an unusable engine; `reason` completes the sentence. The service continues without streets. */
export function unsupported(reason: string, cause?: unknown): ExternalError {
  return new ExternalError('streets_unsupported', `the street engine ${PACKAGE} ${reason}`, { cause });
}
