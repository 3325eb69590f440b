import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { type Clock, nowInstant } from '../effects/clock.ts';
import { findJson, listNames, writeJsonAtomically } from '../effects/files.ts';
import { identifyThisProcess, isProcessAlive, type ProcessIdentity } from '../effects/process-identity.ts';
import { withoutPublicationGuard } from '../effects/publication-guard.ts';
import { addDays, localDate } from '../model/service-time.ts';
import { stateFolder } from './local-state.ts';
import { findPlace, type StoreName, storeNames } from './store-rules.ts';

/** Who writes stores of this data folder, or has written them without having published them. */
interface Mark extends ProcessIdentity {
  readonly job: string;
  readonly stores: readonly StoreName[];
  /** Of days and fetches it writes the last so many alone; null: any. */
  readonly recentDays: number | null;
  /** Trees in which another machine was faster: what was written here gives way, whole trees at a time. */
  readonly givenUp?: readonly string[];
  /** Its publication failed. */
  readonly isWaiting: boolean;
  /** ISO 8601, UTC. */
  readonly since: string;
}

/** Stores of this folder that are being written, or wait to be published. */
export interface FoundMark extends Mark {
  /** A process of this machine is at work on them. */
  readonly isAtWork: boolean;
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
  return {
    release: () => rm(file, { force: true }),
    wait: () => withoutPublicationGuard(() => writeJsonAtomically(file, { ...mark, isWaiting: true } satisfies Mark)),
  };
}

export async function listMarks(dataDir: string): Promise<FoundMark[]> {
  const found: FoundMark[] = [];
  for (const name of (await listNames(marksFolder(dataDir))).filter((one) => one.endsWith('.json'))) {
    const file = path.join(marksFolder(dataDir), name);
    const mark = await findJson<Mark>(file);
    if (!mark?.stores?.every((store) => storeNames.includes(store))) continue;
    const isAlive = mark.host === hostname() && (await isProcessAlive(mark.pid, mark.processStart));
    found.push({ ...mark, file, isAtWork: isAlive && !mark.isWaiting });
  }
  return found;
}

/** Whether a path is of a store that is being written: then it stays as it is. */
export function busyPaths(marks: readonly FoundMark[], clock: Clock): (path: string) => boolean {
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

/** Notes trees before what was written of them gives way: a run that dies in the middle leaves the rest to the next. */
export async function noteGivenUp(mark: FoundMark, trees: readonly string[]): Promise<void> {
  const { file, isAtWork: _isAtWork, ...noted } = mark;
  await writeJsonAtomically(file, { ...noted, givenUp: trees } satisfies Mark);
}

export async function forgetMark({ file }: FoundMark): Promise<void> {
  await rm(file, { force: true });
}
