import { ExternalError } from '../../effects/external-error.ts';
import type { Log } from '../../effects/log.ts';
import { readProjectFile } from '../../effects/project-files.ts';
import { isDue } from '../../model/clock-tolerance.ts';
import { parseMetroStations } from '../../model/metro-stations.ts';
import type { Instant } from '../../model/service-time.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../snapshots/timetable-files.ts';
import { type Matcher, openMatcher } from '../matching/open-matcher.ts';
import { parseStopLinks } from '../matching/stop-link-overrides.ts';
import type { StateTimetable } from '../state/realtime-state.ts';

/** Wait before an unreadable timetable is tried again: an ingest may have repaired it. */
const RETRY_UNREADABLE_SECONDS = 60;

interface LoadedTimetable extends StateTimetable {
  readonly id: string;
}

/** Follows the published timetable, to which realtime is matched. */
export class FollowedTimetable {
  readonly #dataDir: string;
  readonly #log: Log;
  #id: string;
  /** A timetable that could not be read, and when. */
  #unreadable: { readonly id: string; readonly at: Instant } | null = null;

  /** @param id the timetable that the state uses now, see `loadCurrentTimetable` */
  constructor(dataDir: string, id: string, log: Log) {
    this.#dataDir = dataDir;
    this.#id = id;
    this.#log = log;
  }

  get id(): string {
    return this.#id;
  }

  /**
   * Switches to a newly published timetable; keeps the current one if the new one is unreadable.
   * @param use switches the state over and returns the number of dated trips that it dropped
   */
  async follow(now: Instant, use: (timetable: StateTimetable) => number): Promise<void> {
    const id = await findCurrentTimetableId(this.#dataDir);
    if (id === null || id === this.#id) return;
    if (this.#unreadable?.id === id && !isDue(this.#unreadable.at, RETRY_UNREADABLE_SECONDS, now)) return;
    try {
      const lost = use(await loadTimetable(this.#dataDir, id, this.#log));
      this.#id = id;
      this.#log.info(`realtime continues with timetable ${id}; ${lost} trips are missing in it or have changed`);
    } catch (error) {
      this.#unreadable = { id, at: now };
      this.#log.warn(
        `timetable ${id} cannot be used for realtime: ${(error as Error).message}; ${this.#id} remains in use`,
      );
    }
  }
}

/** @throws ExternalError `timetable_unavailable` if no timetable is published */
export async function loadCurrentTimetable(dataDir: string, log: Log): Promise<LoadedTimetable> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) {
    throw new ExternalError(
      'timetable_unavailable',
      'no timetable is published to match realtime with. Run ingest-timetable',
      { isRetryable: true },
    );
  }
  return loadTimetable(dataDir, id, log);
}

async function loadTimetable(dataDir: string, id: string, log: Log): Promise<LoadedTimetable> {
  const snapshot = await readTimetableSnapshot(dataDir, id);
  return { id, tables: snapshot.tables, matcher: await loadMatcher(snapshot, log) };
}

async function loadMatcher(snapshot: Parameters<typeof openMatcher>[0], log: Log): Promise<Matcher> {
  const links = parseStopLinks(await readProjectFile('data/lookups/stop-links.csv'));
  const metroStations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
  const matcher = openMatcher(snapshot, { stopLinks: links.records, metroStations });
  for (const { code, place, detail } of [...links.problems, ...matcher.problems])
    log.warn(`${place}: ${code}, ${detail}`);
  return matcher;
}
