import path from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { type Log, silentLog } from '../effects/log.ts';
import { isOfTheSystem, WorldError } from '../effects/world-error.ts';
import { findPath } from './find-path.ts';
import { measureWalks } from './measure-walks.ts';
import {
  findCurrentStreetsId,
  findStreetsManifest,
  hasAllTiles,
  STREETS_RULES_VERSION,
  tilesFile,
} from './published-streets.ts';
import { joinEngine, offerEngine } from './share-engine.ts';
import { openStreetEngine, type StreetEngine } from './street-engine.ts';
import type { WalkRouter } from './walk-router.ts';

/** Streets as another thread gets them: `port` belongs into the transfer list. */
export interface SharedStreets {
  readonly id: string;
  readonly port: MessagePort;
}

/** Streets that this thread has opened. */
export interface OpenWalkRouter extends WalkRouter {
  /** For one other thread each, see `joinWalkRouter`. */
  share(): SharedStreets;
}

/**
 * Opens the published graph of streets, in the main thread. It stays open to the end of the process, so a newer graph is
 * taken by whoever opens later; the same one is opened once.
 * @returns null when none is published, or none that can be used here, which is told as a warning
 */
export async function openWalkRouter(dataDir: string, log: Log = silentLog): Promise<OpenWalkRouter | null> {
  try {
    const id = await findCurrentStreetsId(dataDir);
    if (id === null) return null;
    await checkStreets(dataDir, id);
    const engine = openStreetEngine(path.resolve(tilesFile(dataDir, id)));
    return { ...createWalkRouter(id, engine), share: () => ({ id, port: offerEngine(engine) }) };
  } catch (error) {
    if (!(error instanceof WorldError) && !isOfTheSystem(error)) throw error;
    log.warn(`walks are straight lines: ${error.message}`);
    return null;
  }
}

/** The streets that the main thread shares, in another thread; they end with the main thread's. */
export function joinWalkRouter({ id, port }: SharedStreets): WalkRouter {
  return createWalkRouter(id, joinEngine(port));
}

function createWalkRouter(id: string, engine: StreetEngine): WalkRouter {
  return {
    id,
    measure: (from, to, profile, maxMeters) => measureWalks(engine, from, to, profile, maxMeters),
    findPath: (from, to, profile, language) => findPath(engine, from, to, profile, language),
  };
}

/** @throws WorldError `streets_damaged`, which building them again mends */
async function checkStreets(dataDir: string, id: string): Promise<void> {
  const manifest = await findStreetsManifest(dataDir, id);
  if (manifest === null) throw damaged('have no manifest');
  if (manifest.rulesVersion !== STREETS_RULES_VERSION) throw damaged('were built for another version');
  if (!(await hasAllTiles(dataDir, manifest))) throw damaged('have not all of their tiles');
}

function damaged(what: string): WorldError {
  return new WorldError('streets_damaged', `the published streets ${what}; build-streets builds them again`);
}
