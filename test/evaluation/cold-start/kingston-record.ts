import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTimetable, type Timetable } from '../../../api/engine/read/timetable.ts';
import type { Effects } from '../../../pipeline/effects/effects.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { readProjectFile } from '../../../pipeline/effects/project-files.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { parseMetroStations } from '../../../pipeline/model/metro-stations.ts';
import type { ObservedTrip } from '../../../pipeline/model/prediction.ts';
import { emptyUpdate } from '../../../pipeline/model/realtime.ts';
import {
  buildDatedTripTable,
  type DatedTripTable,
  departAfter,
  withDayStarts,
} from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { openMatcher } from '../../../pipeline/realtime/matching/open-matcher.ts';
import { createRealtimeState } from '../../../pipeline/realtime/state/realtime-state.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../../pipeline/snapshots/timetable-files.ts';
import { ingestTimetable } from '../../../pipeline/timetable/ingest-timetable.ts';
import { readKingstonPositions } from '../../support/worlds/kingston-positions.ts';

const SOURCE = 'kingston';

/** What is observed of Kingston's buses from their recorded positions. @param folder of the recording */
export async function readKingstonRecord(folder: string, effects: Effects): Promise<DatedTripTable> {
  return toTripTable((await readKingstonTrips(folder, effects)).trips);
}

/** The trips that were observed, and the timetable. */
export async function readKingstonTrips(
  folder: string,
  effects: Effects,
): Promise<{ trips: ObservedTrip[]; timetable: Timetable }> {
  const timetable = await ingestKingston(path.join(folder, 'gtfs.zip'), effects);
  const metroStations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
  const matcher = openMatcher(timetable, { stopLinks: [], metroStations });
  const findTimetableSource = (loaded: readonly string[]) => loaded[0] ?? null;
  const state = createRealtimeState([{ id: SOURCE, maxAgeSeconds: 300, findTimetableSource }], {
    tables: timetable.tables,
    matcher,
  });
  const observed = new Map<string, ObservedTrip>();
  const positions = await readKingstonPositions(path.join(folder, 'vehicle-positions-2026-01-15.csv.gz'));
  for (const { fetchedAt, vehicles } of positions) {
    const update = { ...emptyUpdate, vehicles, publishedAt: fetchedAt };
    state.apply(SOURCE, { part: 'vehicles', fetchedAt, update });
    for (const trip of state.listObserved(SOURCE)) observed.set(`${trip.day} ${trip.tripId}`, trip);
  }
  const trips = [...observed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, trip]) => trip);
  return { trips, timetable };
}

async function ingestKingston(location: string, { clock, log }: Effects): Promise<Timetable> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-kingston-'));
  try {
    const settings = {
      memoryLimit: '1GB',
      threads: 1,
      maxZipEntries: 100,
      maxEntryBytes: 1e9,
      maxTotalBytes: 1e9,
      maxCompressionRatio: 200,
      maxDownloadBytes: 1e8,
      downloadTimeoutSeconds: 10,
      refetchHours: 24,
      maxRejectedBytes: 1e8,
      keepSnapshots: 1,
      minShareOfPrevious: 0,
      merging: {
        stationsById: false,
        stationsByName: false,
        trips: false,
        throughTrips: false,
        decisions: [],
        problems: [],
      },
    };
    const http = async () => {
      throw new ExternalError('http_unreachable', 'the feed is a file');
    };
    const sources = [{ id: toSourceId(SOURCE), location }];
    await ingestTimetable(
      { sources, dataDir, settings, isDryRun: false, isForced: false },
      { clock, http, log, walks: null },
    );
    return openTimetable(await readTimetableSnapshot(dataDir, (await findCurrentTimetableId(dataDir))!));
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

export function toTripTable(trips: readonly ObservedTrip[]): DatedTripTable {
  const rows = trips.flatMap((trip, datedTrip) =>
    trip.stopIds.map((stop, at) => {
      const last = at === trip.stopIds.length - 1;
      const arrival = at === 0 ? Number.NaN : trip.arrival[at]! - trip.scheduledArrival[at]!;
      const departure = last ? Number.NaN : trip.departure[at]! - trip.scheduledDeparture[at]!;
      const filled = departAfter(arrival, trip.scheduledArrival[at]!, trip.scheduledDeparture[at]!);
      const isLeaving = Number.isNaN(departure) ? 0 : 1;
      const isStanding = Number.isNaN(arrival) ? 0 : 2;
      return { trip, datedTrip, stop, at, arrival, departure: isLeaving ? departure : filled, isLeaving, isStanding };
    }),
  );
  const numbers = (names: string[]) => {
    const known = new Map<string, number>();
    for (const name of names) if (!known.has(name)) known.set(name, known.size);
    return Int32Array.from(names, (name) => known.get(name)!);
  };
  const table = buildDatedTripTable({
    datedTrip: Int32Array.from(rows, ({ datedTrip }) => datedTrip),
    serviceDay: Int32Array.from(rows, ({ trip }) => trip.day),
    train: Int32Array.from(rows, ({ datedTrip }) => datedTrip),
    route: numbers(rows.map(({ trip }) => trip.routeId)),
    operator: new Int32Array(rows.length),
    stop: numbers(rows.map(({ stop }) => stop)),
    sequence: Int32Array.from(rows, ({ at }) => at),
    scheduledArrival: Float64Array.from(rows, ({ trip, at }) => trip.scheduledArrival[at]!),
    scheduledDeparture: Float64Array.from(rows, ({ trip, at }) => trip.scheduledDeparture[at]!),
    arrivalDelay: Float64Array.from(rows, ({ arrival }) => arrival),
    departureDelay: Float64Array.from(rows, ({ departure }) => departure),
    isDepartureReported: Uint8Array.from(rows, ({ isLeaving }) => isLeaving),
    isInstant: Uint8Array.from(rows, ({ isLeaving, isStanding }) => isLeaving + isStanding),
  });
  return withDayStarts(table, (one) => trips[one]!.scheduledDeparture[0]! - trips[one]!.departureOfDay);
}
