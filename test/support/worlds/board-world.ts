import { cp } from 'node:fs/promises';
import { expect } from 'vitest';
import type { ArrivalBoard, Board, Journey } from '../../../api/contract/definitions.ts';
import { ApiProblem } from '../../../api/contract/problems.ts';
import { type BoardQuery, encodeBoard } from '../../../api/engine/boards/boards.ts';
import type { BoardKind } from '../../../api/engine/boards/calls-at-stop.ts';
import { getJourney } from '../../../api/engine/journeys/journeys.ts';
import type { Realtime } from '../../../api/engine/read/realtime.ts';
import { createReferences, type References } from '../../../api/engine/read/references.ts';
import { openTimetable, type Timetable } from '../../../api/engine/read/timetable.ts';
import { listNames } from '../../../pipeline/effects/files.ts';
import { type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../../pipeline/snapshots/timetable-files.ts';
import { expectValidAnswer } from '../checks/contract-validator.ts';
import { openTemplateFolders } from '../setup/template-folders.ts';
import { type FeedInput, type IngestOptions, ingestFeeds } from './ingest.ts';

export const TEST_KEY = Buffer.alloc(32, 7);

/** A timetable as the service loads it, and the references of its boards. */
export interface World {
  readonly timetable: Timetable;
  /** Its realtime state; null if only the timetable is queried. */
  readonly realtime: Realtime | null;
  readonly references: References;
}

// Caching is safe: the same feeds make the same timetable, and ingesting one takes most of a second.
const worlds = new Map<string, Promise<World>>();

/**
 * Ingests, publishes and loads one feed as source `at`, or several by the ids of their sources. The result is cached
 * per test file.
 */
export function openWorld(
  feeds: string | Readonly<Record<string, FeedInput>>,
  options: WorldOptions = {},
): Promise<World> {
  const bySource = typeof feeds === 'string' ? { at: feeds } : feeds;
  const name = nameWorld(bySource, options);
  const known = worlds.get(name) ?? makeWorld(name, bySource, options);
  worlds.set(name, known);
  return known;
}

async function makeWorld(
  name: string,
  feeds: Readonly<Record<string, FeedInput>>,
  options: WorldOptions,
): Promise<World> {
  const timetable = await loadTimetable(await published(name, { feeds, options }));
  return { timetable, realtime: null, references: createReferences(TEST_KEY) };
}

type WorldOptions = Pick<IngestOptions, 'settings' | 'now'>;

// Caching is safe: the same feeds make the same data folder, and ingesting one takes most of a second.
const published = openTemplateFolders(
  'taktgeber-world-',
  (dataDir, { feeds, options }: { feeds: Readonly<Record<string, FeedInput>>; options: WorldOptions }) =>
    ingestSound(feeds, { ...options, dataDir }),
);

function nameWorld(feeds: Readonly<Record<string, FeedInput>>, options: WorldOptions): string {
  return JSON.stringify([feeds, options], (_key, value) => (value instanceof Map ? [...value] : value));
}

/** Ingests and publishes; fails the test if a feed fails. An empty folder gets a copy of the cached result. */
export async function publishFeeds(
  feeds: Readonly<Record<string, FeedInput>>,
  options: IngestOptions & { readonly dataDir: string },
): Promise<void> {
  const { dataDir, now, settings, ...others } = options;
  if (Object.keys(others).length > 0 || (await listNames(dataDir)).length > 0) return ingestSound(feeds, options);
  const world = { ...(now && { now }), ...(settings && { settings }) };
  await cp(await published(nameWorld(feeds, world), { feeds, options: world }), dataDir, { recursive: true });
}

async function ingestSound(
  feeds: Readonly<Record<string, FeedInput>>,
  options: IngestOptions & { readonly dataDir: string },
): Promise<void> {
  const { outcome } = await ingestFeeds(feeds, options);
  const failed = outcome.feeds.find(({ failure }) => failure !== undefined);
  if (failed) throw new Error(failed.failure);
}

/** The published timetable of a data folder, as the service loads it. */
export async function loadTimetable(dataDir: string): Promise<Timetable> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) throw new Error('nothing is published');
  return openTimetable(await readTimetableSnapshot(dataDir, id));
}

// ---- Queries -----------------------------------------------------------------------------------

export interface BoardQueryInput extends Partial<Omit<BoardQuery, 'time'>> {
  /** RFC 3339. */
  readonly time?: string;
  /** Time of the clock; by default that of `time`. */
  readonly now?: string;
  /** Of departures. */
  readonly pageToken?: string;
}

const QUERY_DEFAULTS = { durationMinutes: 60, limit: 30 };

/** A departure board, validated against the published schema and compared with one of a snapshot without caches. */
export async function queryDepartures(world: World, stopId: string, requested: BoardQueryInput): Promise<Board> {
  const board = queryBoard(world, stopId, requested, 'departures') as Board;
  await expectValidAnswer('Board', board);
  return board;
}

/** An arrival board, checked in the same way. */
export async function queryArrivals(world: World, stopId: string, requested: BoardQueryInput): Promise<ArrivalBoard> {
  const board = queryBoard(world, stopId, requested, 'arrivals') as ArrivalBoard;
  await expectValidAnswer('ArrivalBoard', board);
  return board;
}

function queryBoard(world: World, stopId: string, requested: BoardQueryInput, kind: BoardKind): unknown {
  const { context, query } = readQuery(world, requested);
  const text = encodeBoard(context, stopId, query, kind).toString();
  // Caches belong to the objects of a snapshot.
  const { timetable, realtime } = context.published;
  const published = { timetable: { ...timetable }, realtime: realtime && { ...realtime } };
  expect(text).toBe(encodeBoard({ ...context, published }, stopId, query, kind).toString());
  const board: unknown = JSON.parse(text);
  expect(text).toBe(JSON.stringify(board));
  return board;
}

function readQuery({ timetable, realtime, references }: World, { time, now, ...filters }: BoardQueryInput) {
  const at = instant(now ?? time ?? '1970-01-01T00:00:00Z');
  const context = { published: { timetable, realtime }, references, instant: at };
  // As the contract defines: with a page token, no defaults are filled in.
  const defaults = 'pageToken' in filters ? {} : QUERY_DEFAULTS;
  const query = { ...defaults, ...filters, ...(time === undefined ? {} : { time: instant(time) }) };
  return { context, query: query as BoardQuery };
}

/** A journey, validated against the published schema. */
export async function queryJourney(
  world: World,
  ref: string,
  { now, stopId }: { now: string; stopId?: string },
): Promise<Journey> {
  const { timetable, realtime, references } = world;
  const journey = getJourney({ published: { timetable, realtime }, references, instant: instant(now) }, ref, stopId);
  await expectValidAnswer('Journey', journey);
  return journey;
}

export function instant(text: string): Instant {
  const read = parseTimestamp(text);
  if (read === null) throw new Error(`"${text}" is not a time`);
  return read;
}

/** The problem of a refused query as `code parameter`; only the code if no parameter is invalid. */
export async function findRefusal(request: () => unknown): Promise<string> {
  try {
    await request();
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    expect(error.message).toMatch(/^\S.*\.$/);
    return error.parameter === undefined ? error.code : `${error.code} ${error.parameter}`;
  }
  throw new Error('the query was not refused');
}

// ---- Boards as text ----------------------------------------------------------------------------

/** `08:00 1 Kirche`: local time, line, destination. With another date or offset than `base`, the full timestamp. */
export function describeDepartures({ departures }: Board): string[] {
  return departures.map((row) => `${clockOf(row.departure.scheduled!)} ${row.line.label} ${row.direction}`);
}

export function describeArrivals({ arrivals }: ArrivalBoard): string[] {
  return arrivals.map((row) => `${clockOf(row.arrival.scheduled!)} ${row.line.label} ${row.origin}`);
}

/** `08:00`, with seconds only if they are not zero. */
export function clockOf(timestamp: string): string {
  return timestamp.slice(11, 19).replace(/:00$/, '');
}
