import { openRealtime } from '../../../api/engine/read/realtime.ts';
import { readProjectFile } from '../../../pipeline/effects/project-files.ts';
import { parseMetroStations } from '../../../pipeline/model/metro-stations.ts';
import type { TripPrediction } from '../../../pipeline/model/prediction.ts';
import { emptyUpdate, type SourceUpdate } from '../../../pipeline/model/realtime.ts';
import type { RealtimeTally } from '../../../pipeline/model/realtime-tally.ts';
import { openMatcher } from '../../../pipeline/realtime/matching/open-matcher.ts';
import { parseStopLinks } from '../../../pipeline/realtime/matching/stop-link-overrides.ts';
import type { AppliedUpdate } from '../../../pipeline/realtime/state/apply-update.ts';
import { createRealtimeState, type RealtimeState } from '../../../pipeline/realtime/state/realtime-state.ts';
import { REALTIME_FORMAT_VERSION, type RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import { readRealtimeBytes, writeRealtimeBytes } from '../../../pipeline/snapshots/realtime-files.ts';
import { instant, type World } from './board-world.ts';

const NO_TALLY: RealtimeTally = {
  matched: {},
  unmatched: {},
  vehiclesMatched: 0,
  vehiclesOnRouteOnly: 0,
  vehiclesUnmatched: 0,
  alerts: 0,
  records: 0,
  problems: {},
};

/** A realtime source that answered at an instant; all other facts have neutral values. */
export function sourceState(id: string, over: Partial<RealtimeSourceState> = {}): RealtimeSourceState {
  return {
    id,
    kind: 'gtfs-rt',
    archive: 'full',
    isStandby: false,
    lastSuccessAt: null,
    lastSuccessByArea: {},
    lastAttemptAt: over.lastSuccessAt ?? null,
    requestedAreas: over.provides ?? ['departures', 'vehiclePositions', 'disruptions'],
    trouble: null,
    maxAgeSeconds: 300,
    provides: ['departures', 'vehiclePositions', 'disruptions'],
    coverage: [],
    isNationwide: false,
    attribution: null,
    licence: null,
    vehicleCells: [],
    onDemand: null,
    tally: NO_TALLY,
    ...over,
  };
}

/** A world with realtime sources: answers are applied as in the poller, and shown as in the service. */
export interface LiveWorld {
  readonly state: RealtimeState;
  /** @param at time of the request, RFC 3339 */
  report(sourceId: string, at: string, update: Partial<SourceUpdate>, part?: string): AppliedUpdate;
  /** Replaces the predictions; the transfer models are serialised, by source. */
  forecast(predictions: readonly TripPrediction[], transferModels?: ReadonlyMap<string, Uint8Array>): void;
  /** The world as shown at an instant; the snapshot is written to bytes and read again. */
  at(time: string): World;
}

/** @param sources ids in the order of the snapshot; all report trips of the timetable source `at` */
export async function openLiveWorld(
  world: World,
  sources: readonly string[] = ['rt'],
  over: Partial<RealtimeSourceState> = {},
): Promise<LiveWorld> {
  const links = parseStopLinks(await readProjectFile('data/lookups/stop-links.csv'));
  const metroStations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
  const { timetable } = world;
  const matcher = openMatcher(timetable, { stopLinks: links.records, metroStations });
  const { maxAgeSeconds } = sourceState('', over);
  const stateSources = sources.map((id) => ({
    id,
    maxAgeSeconds,
    findTimetableSource: (loaded: readonly string[]) => (loaded.length === 1 ? loaded[0]! : null),
  }));
  const state = createRealtimeState(stateSources, { tables: timetable.tables, matcher });
  const received = new Map<string, string>();
  let forecasts: readonly TripPrediction[] = [];
  let transferModels: ReadonlyMap<string, Uint8Array> = new Map();
  return {
    state,
    report(sourceId, at, update, part = 'all') {
      received.set(sourceId, new Date(at).toISOString());
      const fetchedAt = instant(at);
      return state.apply(sourceId, { part, fetchedAt, update: { ...emptyUpdate, publishedAt: fetchedAt, ...update } });
    },
    forecast(predictions, models = new Map()) {
      forecasts = predictions;
      transferModels = models;
    },
    at(time) {
      const manifest = {
        kind: 'realtime' as const,
        formatVersion: REALTIME_FORMAT_VERSION,
        id: `live-${time}`,
        timetableId: timetable.manifest.id,
        createdAt: new Date(time).toISOString(),
        sources: sources.map((id) => sourceState(id, { lastSuccessAt: received.get(id) ?? null, ...over })),
        models: [...new Set(forecasts.map(({ sourceId }) => sourceId))].map((sourceId) => ({
          sourceId,
          model: `${sourceId}-2026-03-01`,
          lastDay: '2026-03-01',
        })),
      };
      const bytes = writeRealtimeBytes({ manifest, tables: state.build(instant(time), forecasts, transferModels) });
      return { ...world, realtime: openRealtime(readRealtimeBytes(bytes, 'of a test'), null) };
    },
  };
}
