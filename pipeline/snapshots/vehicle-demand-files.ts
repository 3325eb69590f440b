import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, nowInstant } from '../effects/clock.ts';
import { isFileName, listNames, writeJsonAtomically } from '../effects/files.ts';
import type { Log } from '../effects/log.ts';
import type { GeoBox } from '../model/geo.ts';
import type { Instant } from '../model/service-time.ts';
import {
  DEMAND_SECONDS,
  listCurrentDemands,
  nameArea,
  type VehicleDemand,
  widenToGrid,
} from '../model/vehicle-demand.ts';

// The api reports demand to the poller, which may be another thread or process on the same data folder: each writer
// replaces its own small file as a whole, and the poller reads all of them.

/** Records the map areas that were requested from a process. */
interface DemandWriter {
  /** Notes areas; returns at once, the write follows. */
  want(boxes: readonly GeoBox[]): void;
  /** Writes what is pending, and accepts no more. */
  close(): Promise<void>;
}

/** A continuing demand is written again this often, however often it is requested. */
const REFRESH_SECONDS = 15;
const WRITE_GAP_MILLISECONDS = 1000;
/** Areas that one process keeps: the latest requested ones. */
const MAX_REMEMBERED_AREAS = 32;
/** Files that are read: one per serving process. */
const MAX_FILES = 64;
/** Age at which the file of an ended process is removed. */
const REMOVE_AFTER_SECONDS = 3600;

export function openDemandWriter(dataDir: string, { clock, log }: { clock: Clock; log: Log }): DemandWriter {
  const file = path.join(demandFolder(dataDir), `${process.pid}-${randomBytes(4).toString('hex')}.json`);
  const wanted = new Map<string, VehicleDemand>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;
  let isFailing = false;
  const write = async () => {
    try {
      await writeJsonAtomically(file, { demands: [...wanted.values()] });
      isFailing = false;
    } catch (error) {
      // Only the requested vehicles are missing; nothing else depends on this file.
      if (!isFailing) log.warn(`the demand for vehicles cannot be written: ${(error as Error).message}`);
      isFailing = true;
    }
  };
  const writeNow = () => {
    timer = null;
    writing = writing.then(write);
  };
  return {
    want(boxes) {
      if (isClosed) return;
      const now = nowInstant(clock);
      let isChanged = false;
      for (const box of boxes.map(widenToGrid)) {
        const name = nameArea(box);
        const known = wanted.get(name);
        if (known && Math.abs(now - known.wantedAt) < REFRESH_SECONDS) continue;
        wanted.delete(name);
        wanted.set(name, { box, wantedAt: now });
        isChanged = true;
      }
      forgetOldest(wanted, now);
      if (isChanged && timer === null) timer = setTimeout(writeNow, WRITE_GAP_MILLISECONDS).unref();
    },
    async close() {
      isClosed = true;
      if (timer !== null) {
        clearTimeout(timer);
        writeNow();
      }
      await writing;
    },
  };
}

/** The map is in the order in which areas were last wanted. */
function forgetOldest(wanted: Map<string, VehicleDemand>, now: Instant): void {
  for (const [name, { wantedAt }] of wanted) {
    if (now - wantedAt >= DEMAND_SECONDS || wanted.size > MAX_REMEMBERED_AREAS) wanted.delete(name);
  }
}

/**
 * The areas that are requested at `now` by all processes that serve from a data folder. Unreadable files are left out:
 * a demand is repeated while it lasts.
 */
export async function readDemands(dataDir: string, now: Instant): Promise<VehicleDemand[]> {
  const folder = demandFolder(dataDir);
  const found: VehicleDemand[] = [];
  for (const name of (await listFiles(folder)).slice(0, MAX_FILES)) {
    const demands = await readFileOf(path.join(folder, name));
    const newest = Math.max(...demands.map(({ wantedAt }) => wantedAt));
    if (demands.length > 0 && now - newest > REMOVE_AFTER_SECONDS) await removeQuietly(path.join(folder, name));
    else found.push(...demands);
  }
  return listCurrentDemands(found, now);
}

function demandFolder(dataDir: string): string {
  return path.join(dataDir, 'realtime', 'demands');
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    return (await listNames(folder)).filter((name) => isFileName(name) && name.endsWith('.json')).sort();
  } catch {
    // A folder that may not be read holds no demands.
    return [];
  }
}

async function readFileOf(file: string): Promise<VehicleDemand[]> {
  try {
    const content = JSON.parse(await readFile(file, 'utf8')) as { demands?: unknown } | null;
    return Array.isArray(content?.demands) ? content.demands.filter(isDemand) : [];
  } catch {
    // Removed meanwhile, damaged, or unreadable: its process writes it again.
    return [];
  }
}

function isDemand(value: unknown): value is VehicleDemand {
  const { box, wantedAt } = (value ?? {}) as Partial<VehicleDemand>;
  const { south, west, north, east } = (box ?? {}) as Partial<GeoBox>;
  return Number.isSafeInteger(wantedAt) && [south, west, north, east].every(Number.isFinite);
}

async function removeQuietly(file: string): Promise<void> {
  try {
    await rm(file, { force: true });
  } catch {
    // Tried again at the next reading.
  }
}
