import path from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { ExternalError, isOfTheSystem } from '../effects/external-error.ts';
import { type Log, silentLog } from '../effects/log.ts';
import { straightWalkMeters } from '../model/walking.ts';
import { MAX_MATRIX_PLACES } from './engine-config.ts';
import { findPath } from './find-path.ts';
import {
  findCurrentStreetsId,
  findParkAndRide,
  findStreetsManifest,
  hasAllTiles,
  OLDEST_USABLE_RULES_VERSION,
  STREETS_RULES_VERSION,
  type StreetsManifest,
  tilesFile,
} from './published-streets.ts';
import { rememberAnswers } from './remember-answers.ts';
import { openStreetEngine, type StreetAction, type StreetEngine } from './street-engine.ts';
import { findOnStreets, type MatrixAnswer, requestMatrix, walkCosting } from './street-requests.ts';
import { vehicleModes } from './vehicle-router.ts';
import { createVehicleRouter, type VehicleFacts } from './vehicle-ways.ts';
import {
  crowMeters,
  isDetour,
  MAX_MEASURED_METERS,
  type Point,
  sumWay,
  type WalkProfile,
  type WalkRouter,
} from './walk-router.ts';

type Meters = number | null;

/** See `WalkRouter.measure`. Places beyond `maxMeters` in a straight line are not requested. */
async function measureWalks(
  engine: StreetEngine,
  from: Point,
  to: readonly Point[],
  profile: WalkProfile,
  maxMeters: number,
): Promise<Meters[]> {
  const limit = Math.min(maxMeters, MAX_MEASURED_METERS);
  const meters: Meters[] = to.map((place) => (crowMeters(from, place) === 0 ? 0 : null));
  const near = [...to.keys()].filter((i) => meters[i] === null && crowMeters(from, to[i]!) <= limit);
  for (let at = 0; at < near.length; at += MAX_MATRIX_PLACES) {
    const batch = near.slice(at, at + MAX_MATRIX_PLACES);
    const places = batch.map((i) => to[i]!);
    const measured = await measurePlaces(engine, from, places, profile);
    for (const [rank, i] of batch.entries()) meters[i] = measured[rank]!;
  }
  return meters.map((length) => (length !== null && length <= limit ? length : null));
}

/** The engine serves all places or none: if it refuses, places away from streets are separated. */
async function measurePlaces(
  engine: StreetEngine,
  from: Point,
  to: readonly Point[],
  profile: WalkProfile,
): Promise<Meters[]> {
  const measured = await measureOnStreets(engine, from, to, profile);
  if (measured !== 'offStreets') return measured;
  const [isFromOnStreets, ...isOnStreets] = await findOnStreets(engine, [from, ...to], walkCosting(profile));
  if (!isFromOnStreets) return to.map((place, i) => (isOnStreets[i] ? null : straightMeters(from, place)));
  const known = to.filter((_, i) => isOnStreets[i]);
  const others = known.length > 0 ? await measureOnStreets(engine, from, known, profile) : [];
  let rank = 0;
  return to.map((_, i) => (isOnStreets[i] && others !== 'offStreets' ? others[rank++]! : null));
}

/**
 * In the engine, a walk may begin but not end in a street that is too rough for a wheelchair. Both directions are
 * requested then: the way back has the same length.
 */
async function measureOnStreets(
  engine: StreetEngine,
  from: Point,
  to: readonly Point[],
  profile: WalkProfile,
): Promise<Meters[] | 'offStreets'> {
  const there = await requestMatrix(engine, [from], to, walkCosting(profile));
  if (there === 'offStreets') return there;
  const meters = there === 'noWay' ? to.map(() => null) : readMeters(readThere(there), from, to);
  if (profile === 'foot') return meters;
  const back = await requestMatrix(engine, to, [from], walkCosting(profile));
  if (typeof back === 'string') return meters;
  return readMeters(readBack(back), from, to).map((length, i) => shorter(length, meters[i]!));
}

/** Walks between a place on a street and others, in the requested direction. */
interface StreetDistances {
  readonly here: Point;
  readonly others: readonly Point[];
  readonly kilometers: readonly (number | null)[];
}

function readThere({ sources, targets, sources_to_targets }: MatrixAnswer): StreetDistances {
  return { here: sources[0]!, others: targets, kilometers: sources_to_targets[0]!.map(({ distance }) => distance) };
}

function readBack({ sources, targets, sources_to_targets }: MatrixAnswer): StreetDistances {
  return { here: targets[0]!, others: sources, kilometers: sources_to_targets.map(([only]) => only!.distance) };
}

function readMeters({ here, others, kilometers }: StreetDistances, from: Point, to: readonly Point[]): Meters[] {
  const before = crowMeters(from, here);
  return to.map((place, i) => {
    const length = kilometers[i]!;
    if (length === null) return null;
    const way = { before, between: length * 1000, after: crowMeters(others[i]!, place) };
    return isDetour(way, from, place) ? straightMeters(from, place) : sumWay(way);
  });
}

function shorter(one: Meters, other: Meters): Meters {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function straightMeters(from: Point, to: Point): number {
  return straightWalkMeters(from.lat, from.lon, to.lat, to.lon);
}

interface StreetRequest {
  readonly number: number;
  readonly action: StreetAction;
  readonly query: string;
}

type StreetReply =
  | { readonly number: number; readonly answer: string }
  | { readonly number: number; readonly message: string };

interface PendingRequest {
  resolve(answer: string): void;
  reject(error: Error): void;
}

/**
 * Serves the engine of this thread to another thread.
 * @returns the port for the other thread; it is released when that thread ends
 */
export function offerEngine(engine: StreetEngine): MessagePort {
  const { port1: here, port2: there } = new MessageChannel();
  here.on('message', async ({ number, action, query }: StreetRequest) => {
    here.postMessage(await answer(engine, number, action, query));
  });
  here.unref();
  return there;
}

/** The engine of another thread; a pending request keeps this thread alive. */
function joinEngine(port: MessagePort): StreetEngine {
  const waiting = new Map<number, PendingRequest>();
  let lastNumber = 0;
  const takePending = (number: number) => {
    const pending = waiting.get(number);
    waiting.delete(number);
    if (waiting.size === 0) port.unref();
    return pending;
  };
  port.on('message', (reply: StreetReply) => {
    const pending = takePending(reply.number);
    if ('answer' in reply) pending?.resolve(reply.answer);
    else pending?.reject(new Error(reply.message));
  });
  port.on('close', () => {
    for (const number of [...waiting.keys()])
      takePending(number)?.reject(new Error('the thread of the street engine has ended'));
  });
  port.unref();
  return {
    request: (action, query) =>
      new Promise((resolve, reject) => {
        waiting.set(++lastNumber, { resolve, reject });
        port.ref();
        port.postMessage({ number: lastNumber, action, query } satisfies StreetRequest);
      }),
  };
}

async function answer(engine: StreetEngine, number: number, action: StreetAction, query: string): Promise<StreetReply> {
  try {
    return { number, answer: await engine.request(action, query) };
  } catch (error) {
    return { number, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Streets for another thread: `port` must be in the transfer list. */
export interface SharedStreets {
  readonly id: string;
  readonly vehicles: VehicleFacts;
  readonly port: MessagePort;
}

/** Streets opened by this thread. */
export interface OpenWalkRouter extends WalkRouter {
  /** Creates the handle for one other thread, see `joinWalkRouter`. */
  share(): SharedStreets;
}

/**
 * Opens the published street graph, in the main thread. It stays open until the process ends: a newer graph is used
 * only by routers opened later, and the same graph is opened once.
 * @returns null if none is published or usable here, which is logged as a warning
 */
export async function openWalkRouter(dataDir: string, log: Log = silentLog): Promise<OpenWalkRouter | null> {
  try {
    const id = await findCurrentStreetsId(dataDir);
    if (id === null) return null;
    const manifest = await checkStreets(dataDir, id);
    const modes = vehicleModes.filter((mode) => manifest.modes?.includes(mode));
    const vehicles: VehicleFacts = { modes, parkAndRide: await findParkAndRide(dataDir, id) };
    const engine = rememberAnswers(openStreetEngine(path.resolve(tilesFile(dataDir, id))));
    return {
      ...createWalkRouter(id, engine, vehicles),
      share: () => ({ id, vehicles, port: offerEngine(engine) }),
    };
  } catch (error) {
    if (!(error instanceof ExternalError) && !isOfTheSystem(error)) throw error;
    log.warn(`walks are straight lines: ${error.message}`);
    return null;
  }
}

/** The streets of the main thread, for another thread; they close with those of the main thread. */
export function joinWalkRouter({ id, vehicles, port }: SharedStreets): WalkRouter {
  return createWalkRouter(id, joinEngine(port), vehicles);
}

function createWalkRouter(id: string, engine: StreetEngine, vehicles: VehicleFacts): WalkRouter {
  return {
    id,
    ...(vehicles.modes.length > 0 ? { vehicles: createVehicleRouter(engine, vehicles) } : {}),
    measure: (from, to, profile, maxMeters) => measureWalks(engine, from, to, profile, maxMeters),
    findPath: (from, to, profile, language) => findPath(engine, from, to, profile, language),
  };
}

/** @throws ExternalError `streets_damaged`, which is repaired by building them again */
async function checkStreets(dataDir: string, id: string): Promise<StreetsManifest> {
  const manifest = await findStreetsManifest(dataDir, id);
  if (manifest === null) throw damaged('have no manifest');
  const { rulesVersion } = manifest;
  const isUsable = rulesVersion >= OLDEST_USABLE_RULES_VERSION && rulesVersion <= STREETS_RULES_VERSION;
  if (!isUsable) throw damaged('were built for another version');
  if (!(await hasAllTiles(dataDir, manifest))) throw damaged('have not all of their tiles');
  return manifest;
}

function damaged(what: string): ExternalError {
  return new ExternalError('streets_damaged', `the published streets ${what}; build-streets builds them again`);
}
