import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, nowInstant, systemClock } from '../../effects/clock.ts';
import { findJson, listNames, writeJsonAtomically } from '../../effects/files.ts';
import { findRenewal, isAuthorAlive, isWithin, keepRenewing } from '../../effects/process-file.ts';
import { identifyThisProcess, type ProcessIdentity } from '../../effects/process-identity.ts';
import { addDays, localDate } from '../../model/service-time.ts';
import { stateFolder } from './local-state.ts';
import { findPlace, type StoreName, storeNames } from './store-rules.ts';

/** Who writes stores of this data folder, or has written them without having published them. */
interface Mark extends ProcessIdentity {
  readonly job: string;
  readonly stores: readonly StoreName[];
  /** Of days and fetches it writes only this many recent ones; null: any. */
  readonly recentDays: number | null;
  /** Trees in which another machine was faster: local changes are discarded, whole trees at a time. */
  readonly givenUp?: readonly string[];
  /** Its publication failed. */
  readonly isWaiting: boolean;
  /** ISO 8601, UTC. */
  readonly since: string;
}

/** Stores of this folder that are being written, or wait to be published. */
export interface FoundMark extends Mark {
  /** A process is at work on them; one on another host counts while it renews its mark. */
  readonly isAtWork: boolean;
  /** When its process last renewed it, by the clock of the system; milliseconds since 1970. */
  readonly renewedAt: number;
  readonly file: string;
}

export interface WritingMark {
  /** All is published. */
  release(): Promise<void>;
  /** The next job of this folder has to publish it. */
  wait(): Promise<void>;
}

function marksFolder(dataDir: string): string {
  return path.join(stateFolder(dataDir), 'writing');
}

/** Notes that a job begins to write stores: nothing is fetched over them until it has published them. */
export async function markWriting(
  dataDir: string,
  job: string,
  stores: readonly StoreName[],
  { clock, recentDays = null }: { readonly clock: Clock; readonly recentDays?: number | null },
): Promise<WritingMark> {
  const file = path.join(marksFolder(dataDir), `${randomUUID()}.json`);
  const since = new Date(clock.nowMilliseconds()).toISOString();
  const mark: Mark = { job, stores, recentDays, isWaiting: false, since, ...(await identifyThisProcess()) };
  await writeJsonAtomically(file, mark);
  // Real time, even where a replay's clock runs faster.
  const endRenewing = keepRenewing(file, systemClock);
  return {
    release: async () => {
      endRenewing();
      await rm(file, { force: true });
    },
    wait: async () => {
      endRenewing();
      // A rename, as a full disk takes no new file.
      await rename(file, file.replace(/\.json$/, WAITING_ENDING));
    },
  };
}

/** Time that the successor of an ended process has to publish its pending changes. */
const LEFT_MILLISECONDS = 2 * 60_000;
/** Of a mark whose publication failed. */
const WAITING_ENDING = '.waiting.json';

export async function listMarks(dataDir: string): Promise<FoundMark[]> {
  const found: FoundMark[] = [];
  for (const name of (await listNames(marksFolder(dataDir))).filter((one) => one.endsWith('.json'))) {
    const file = path.join(marksFolder(dataDir), name);
    const mark = await findJson<Mark>(file);
    if (!mark?.stores?.every((store) => storeNames.includes(store))) continue;
    const isWaiting = mark.isWaiting || name.endsWith(WAITING_ENDING);
    const renewedAt = await findRenewal(file);
    if (renewedAt === null) continue;
    found.push({
      ...mark,
      isWaiting,
      file,
      renewedAt,
      isAtWork: !isWaiting && (await isAuthorAlive(mark, renewedAt, systemClock)),
    });
  }
  return found;
}

/** Finds out whether a job of a folder is writing a path now. */
export async function findBusy(dataDir: string, clock: Clock): Promise<(path: string) => boolean> {
  return busyPaths(await listMarks(dataDir), clock);
}

/**
 * Finds out which paths a follower of the store leaves alone: those that a job of the folder is writing, or has just
 * left unpublished. Later it no longer waits for a successor, which may work on another machine: what was changed here
 * alone stays in any case, and local changes of files that were changed there as well are discarded at the next run too.
 */
export async function findUnfollowed(dataDir: string, clock: Clock): Promise<(path: string) => boolean> {
  const marks = await listMarks(dataDir);
  const held = marks.filter(
    ({ isAtWork, renewedAt }) => isAtWork || isWithin(renewedAt, LEFT_MILLISECONDS, systemClock),
  );
  return busyPaths(
    held.map((mark) => ({ ...mark, isAtWork: true })),
    clock,
  );
}

/** Whether a path is of a store that is being written: then it stays as it is. */
function busyPaths(marks: readonly FoundMark[], clock: Clock): (path: string) => boolean {
  const busy = marks.filter(({ isAtWork }) => isAtWork);
  return (name) => {
    const place = findPlace(name);
    if (place === null) return false;
    return busy.some(
      ({ stores, recentDays }) =>
        stores.includes(place.store) && (recentDays === null || isRecent(name, recentDays, clock)),
    );
  };
}

/** Whether a path, or the folder at it, is of the last days; one without a day is. */
export function isRecent(place: string, days: number, clock: Clock): boolean {
  const [, date] = /(?:service|fetch)_date=(\d{4}-\d{2}-\d{2})/.exec(place) ?? [];
  return date === undefined || date >= addDays(localDate(nowInstant(clock), 'UTC'), -days);
}

/** Records trees before their local changes are discarded: the next run completes an interrupted one. */
export async function noteGivenUp(mark: FoundMark, trees: readonly string[]): Promise<void> {
  const { file, isAtWork: _isAtWork, renewedAt: _renewedAt, ...noted } = mark;
  await writeJsonAtomically(file, { ...noted, givenUp: trees } satisfies Mark);
}

export async function forgetMark({ file }: FoundMark): Promise<void> {
  await rm(file, { force: true });
}
