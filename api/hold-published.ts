import { nowInstant } from '../pipeline/effects/clock.ts';
import { AUSTRIA, addDays, type Instant, serviceDayStart } from '../pipeline/model/service-time.ts';
import { findCurrentPlacesId, readPlacesSnapshot } from '../pipeline/snapshots/places-files.ts';
import { findCurrentRealtime, readRealtimeSnapshot } from '../pipeline/snapshots/realtime-files.ts';
import {
  findCurrentTimetableId,
  readSourceChecks,
  readTimetableSnapshot,
} from '../pipeline/snapshots/timetable-files.ts';
import type { ApiConfig, ApiEffects } from './api-config.ts';
import { openPlaceIndex, type PlacesIndex } from './engine/places/place-index.ts';
import { openRealtime, type Realtime, withoutPredictions } from './engine/read/realtime.ts';
import { makeIndexes, openTimetable, type Timetable } from './engine/read/timetable.ts';
import { measureLoads } from './measure-api.ts';
import { holdSnapshot, type LiveSnapshotHolder } from './plugins/snapshot-holder.ts';

/** A published poll is served within a second. */
const REALTIME_CHECK_MILLISECONDS = 500;

/**
 * Follows the published timetable, and the time at which each of its sources was last checked. A timetable whose sources
 * have all ended, under licences that forbid serving them any longer, counts as not published.
 */
export async function holdTimetable(
  { dataDir, sources }: Pick<ApiConfig, 'dataDir' | 'sources'>,
  { log, metrics, clock }: Pick<ApiEffects, 'log' | 'metrics' | 'clock'>,
) {
  // Read together with the pointer, once a second, so that no request waits for the disk.
  let sourceChecks: Readonly<Record<string, string>> = {};
  const timetables = await holdSnapshot<Timetable>(
    {
      readCurrentId: async () => {
        // An unreadable file does not make the timetable unusable: its sources then count as never checked.
        sourceChecks = await readSourceChecks(dataDir).catch(() => ({}));
        return findCurrentTimetableId(dataDir);
      },
      read: async () => {
        const id = await findCurrentTimetableId(dataDir);
        if (id === null) return null;
        const value = openTimetable(await readTimetableSnapshot(dataDir, id));
        makeIndexes(value);
        return { id, value };
      },
    },
    { log, onLoad: measureLoads(metrics, 'timetable') },
  );
  const stopping = new Set(sources.filter((one) => one.stopAfterValidity === true).map(({ id }) => id));
  const ends = new WeakMap<Timetable, Instant>();
  const current = () => {
    const snapshot = timetables.current();
    if (snapshot === null || stopping.size === 0) return snapshot;
    const end = ends.get(snapshot.value) ?? findWithdrawal(snapshot.value, stopping);
    ends.set(snapshot.value, end);
    return nowInstant(clock) < end ? snapshot : null;
  };
  return { timetables: { ...timetables, current }, getSourceChecks: () => sourceChecks };
}

/**
 * When no source of a timetable may be served any longer; infinite if one may always be.
 * @param stopping sources whose licence ends with their validity
 */
function findWithdrawal({ manifest }: Timetable, stopping: ReadonlySet<string>): Instant {
  const ends = manifest.sources.map(({ sourceId, endDate }) =>
    stopping.has(sourceId) && endDate !== null ? serviceDayStart(addDays(endDate, 1), AUSTRIA) : Infinity,
  );
  return Math.max(...ends) as Instant;
}

/** Follows the realtime snapshot that the poller publishes. */
export async function holdRealtime(
  { dataDir, predictions }: ApiConfig,
  { log, metrics }: Pick<ApiEffects, 'log' | 'metrics'>,
): Promise<LiveSnapshotHolder<Realtime>> {
  let before: Realtime | null = null;
  return holdSnapshot<Realtime>(
    {
      readCurrentId: async () => (await findCurrentRealtime(dataDir))?.id ?? null,
      read: async () => {
        const pointer = await findCurrentRealtime(dataDir);
        if (!pointer) return null;
        const snapshot = await readRealtimeSnapshot(dataDir, pointer.id);
        const value = openRealtime(predictions.isPaused ? withoutPredictions(snapshot) : snapshot, before);
        before = value;
        return { id: pointer.id, value };
      },
    },
    { log, checkMilliseconds: REALTIME_CHECK_MILLISECONDS, onLoad: measureLoads(metrics, 'realtime') },
  );
}

/** Follows the published index of addresses and places. */
export async function holdPlaces(
  dataDir: string,
  { log, metrics }: Pick<ApiEffects, 'log' | 'metrics'>,
): Promise<LiveSnapshotHolder<PlacesIndex>> {
  return holdSnapshot<PlacesIndex>(
    {
      readCurrentId: () => findCurrentPlacesId(dataDir),
      read: async () => {
        const id = await findCurrentPlacesId(dataDir);
        return id === null ? null : { id, value: openPlaceIndex(await readPlacesSnapshot(dataDir, id)) };
      },
    },
    { log, onLoad: measureLoads(metrics, 'places') },
  );
}
