import { TextColumn } from '../../model/column.ts';
import { OBSERVED } from '../../model/observation.ts';
import { isFreshPrediction, MAX_PREDICTION_AGE_SECONDS, type TripPrediction } from '../../model/prediction.ts';
import type { StationBoard } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import { type RealtimeTables, VEHICLE_MAX_AGE_SECONDS } from '../../snapshots/realtime-contract.ts';
import { noSharing } from '../../snapshots/sharing-contract.ts';
import { buildAddedTables, sortAdded } from './build-added.ts';
import {
  type BuildSource,
  buildTripTables,
  collectTexts,
  type ReportedTrip,
  type Texts,
  type TripBuildContext,
} from './build-trips.ts';
import { linkReplacements } from './link-replacements.ts';
import { datedTripKey, type SourceMemory, type VehicleMemory } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import { keepNewestVersions, publishAlerts } from './publish-alerts.ts';
import { findVehicleOccupancies, type VehicleOccupancy } from './settle-occupancy.ts';
import { openSettling } from './settle-trip.ts';

export interface SourceBoard {
  readonly source: BuildSource;
  readonly board: StationBoard;
  readonly fetchedAt: number;
}

/** Every number of this many digits fits the column. */
const STATION_NUMBER = /^\d{1,9}$/;

/** Boards by station number; of several sources' boards the freshest, and a frozen one only when there is no other. */
export function buildBoardTables(
  boards: readonly SourceBoard[],
  texts: Texts,
): Pick<RealtimeTables, 'stationBoards' | 'stationDepartures'> {
  const numbered = boards.filter(({ board }) => STATION_NUMBER.test(board.station));
  const sorted = numbered
    .sort((a, b) => Number(a.board.station) - Number(b.board.station) || compareBoards(a, b))
    .filter(({ board }, i, all) => i === 0 || Number(all[i - 1]!.board.station) !== Number(board.station));
  const departures = sorted.flatMap(({ board }) => board.departures);
  const firsts: number[] = [];
  let next = 0;
  for (const { board } of sorted) {
    firsts.push(next);
    next += board.departures.length;
  }
  return {
    stationBoards: {
      station: Uint32Array.from(sorted, ({ board }) => Number(board.station)),
      fetchedAt: Uint32Array.from(sorted, ({ fetchedAt }) => fetchedAt),
      isFrozen: Uint8Array.from(sorted, ({ board }) => (board.isFrozen ? 1 : 0)),
      source: Uint8Array.from(sorted, ({ source }) => source.index),
      firstDeparture: Int32Array.from(firsts),
      departureCount: Int32Array.from(sorted, ({ board }) => board.departures.length),
    },
    stationDepartures: {
      line: Int32Array.from(departures, ({ line }) => texts.row(line)),
      towards: Int32Array.from(departures, ({ towards }) => texts.row(towards)),
      plannedAt: Uint32Array.from(departures, ({ plannedAt }) => plannedAt),
      realAt: Uint32Array.from(departures, ({ realAt }) => realAt ?? 0),
    },
  };
}

function compareBoards(a: SourceBoard, b: SourceBoard): number {
  return (
    Number(a.board.isFrozen) - Number(b.board.isFrozen) || b.fetchedAt - a.fetchedAt || a.source.index - b.source.index
  );
}

/** A prediction with its rows in the snapshot. */
interface PlacedPrediction {
  readonly trip: number;
  readonly source: number;
  readonly prediction: TripPrediction;
}

/**
 * The valid predictions: made from a fresh enough observation, of trips that the timetable holds as they were
 * forecast. Of several for one dated trip the newest observation counts.
 * @param sources ids in the order of the snapshot
 */
function buildPredictionTables(
  predictions: Iterable<TripPrediction>,
  sources: readonly string[],
  planned: PlannedCalls,
  now: Instant,
): Pick<RealtimeTables, 'predictions' | 'predictedCalls'> {
  const rows = chooseNewest(placeAll(predictions, sources, planned, now));
  const column = (read: (row: PlacedPrediction) => number) => rows.map(read);
  const callCounts = column(({ prediction }) => prediction.median.length);
  let callCount = 0;
  const firstCalls = callCounts.map((count) => {
    callCount += count;
    return callCount - count;
  });
  return {
    predictions: {
      trip: Int32Array.from(column(({ trip }) => trip)),
      day: Int32Array.from(column(({ prediction }) => prediction.day)),
      position: Uint16Array.from(column(({ prediction }) => prediction.position)),
      observedAt: Uint32Array.from(column(({ prediction }) => prediction.observedAt)),
      delaySeconds: Int32Array.from(column(({ prediction }) => prediction.delaySeconds)),
      source: Uint8Array.from(column(({ source }) => source)),
      evidence: new Uint8Array(rows.length).fill(OBSERVED),
      isFromPosition: Uint8Array.from(column(({ prediction }) => (prediction.channel === 'positions' ? 1 : 0))),
      firstCall: Int32Array.from(firstCalls),
      callCount: Uint16Array.from(callCounts),
    },
    predictedCalls: {
      low: joinCalls(rows, callCount, ({ low }) => low),
      median: joinCalls(rows, callCount, ({ median }) => median),
      high: joinCalls(rows, callCount, ({ high }) => high),
    },
  };
}

function placeAll(
  predictions: Iterable<TripPrediction>,
  sources: readonly string[],
  planned: PlannedCalls,
  now: Instant,
): PlacedPrediction[] {
  const placed: PlacedPrediction[] = [];
  for (const prediction of predictions) {
    if (prediction.median.length === 0 || !isFreshPrediction(prediction, now)) continue;
    const source = sources.indexOf(prediction.sourceId);
    const trip = planned.findTrip(prediction.tripKey, prediction.day);
    if (source < 0 || trip === null) continue;
    // Another timetable may hold the trip with other calls: then the position is ambiguous.
    if (planned.callCount(trip) !== prediction.position + 1 + prediction.median.length) continue;
    placed.push({ trip, source, prediction });
  }
  return placed;
}

/** Sorted by trip, then day; one per dated trip. */
function chooseNewest(placed: PlacedPrediction[]): PlacedPrediction[] {
  placed.sort(
    (a, b) =>
      a.trip - b.trip ||
      a.prediction.day - b.prediction.day ||
      b.prediction.observedAt - a.prediction.observedAt ||
      a.source - b.source,
  );
  return placed.filter(({ trip, prediction }, i) => {
    const before = placed[i - 1];
    return before?.trip !== trip || before.prediction.day !== prediction.day;
  });
}

function joinCalls(
  rows: readonly PlacedPrediction[],
  callCount: number,
  read: (prediction: TripPrediction) => Int16Array,
): Int16Array {
  const joined = new Int16Array(callCount);
  let at = 0;
  for (const { prediction } of rows) {
    joined.set(read(prediction), at);
    at += prediction.median.length;
  }
  return joined;
}

/** Models of transfers, one after another. @param sources ids in the order of the snapshot */
function buildTransferTables(
  models: ReadonlyMap<string, Uint8Array>,
  sources: readonly string[],
): Pick<RealtimeTables, 'transferModels' | 'transferModelBytes'> {
  const placed = [...models].filter(([id]) => sources.includes(id));
  const bytes = new Uint8Array(placed.reduce((sum, [, { length }]) => sum + length, 0));
  const firstByte = new Int32Array(placed.length);
  let at = 0;
  placed.forEach(([, model], row) => {
    firstByte[row] = at;
    bytes.set(model, at);
    at += model.length;
  });
  return {
    transferModels: {
      source: Uint8Array.from(placed, ([id]) => sources.indexOf(id)),
      firstByte,
      byteCount: Int32Array.from(placed, ([, { length }]) => length),
    },
    transferModelBytes: { byte: bytes },
  };
}

interface SourceVehicle {
  readonly source: BuildSource;
  readonly vehicle: VehicleMemory;
}

/** The vehicles to show, by source, then id; of two on the same trip only the one seen last. */
function sortVehicles(vehicles: readonly SourceVehicle[], now: number): SourceVehicle[] {
  const newest = new Map<string, SourceVehicle>();
  for (const sourceCall of vehicles) {
    if (now - sourceCall.vehicle.observedAt > VEHICLE_MAX_AGE_SECONDS) continue;
    const run = vehicleTripName(sourceCall);
    const known = newest.get(run);
    if (!known || compareAges(sourceCall, known) < 0) newest.set(run, sourceCall);
  }
  return [...newest.values()].sort(compareNames);
}

/** The one seen last first; of two seen at once always the same one first. */
function compareAges(a: SourceVehicle, b: SourceVehicle): number {
  return b.vehicle.observedAt - a.vehicle.observedAt || compareNames(a, b);
}

function compareNames(a: SourceVehicle, b: SourceVehicle): number {
  if (a.source.index !== b.source.index) return a.source.index - b.source.index;
  const [one, other] = [a.vehicle.report.id, b.vehicle.report.id];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Two coupled units report the same trip; a vehicle without a trip counts by its id. */
function vehicleTripName({ source, vehicle: { report, place } }: SourceVehicle): string {
  if (place.trip >= 0) return `trip ${place.trip}.${place.day}`;
  return place.addedTrip === null ? `${source.index} ${report.id}` : `added ${place.addedTrip}`;
}

/** @param findAdded row of `addedTrips` by its name, or -1 */
function buildVehicleTable(
  sorted: readonly SourceVehicle[],
  texts: Texts,
  findAdded: (name: string) => number,
): RealtimeTables['vehicles'] {
  const vehicles = sorted.map(({ vehicle }) => vehicle);
  const numbers = (read: (vehicle: VehicleMemory) => number) => Int32Array.from(vehicles, read);
  return {
    id: numbers(({ report }) => texts.row(report.id)),
    source: Uint8Array.from(sorted, ({ source }) => source.index),
    lat: Float64Array.from(vehicles, ({ report }) => report.lat),
    lon: Float64Array.from(vehicles, ({ report }) => report.lon),
    headingDeg: Int16Array.from(vehicles, ({ report }) => report.headingDeg ?? -1),
    observedAt: Uint32Array.from(vehicles, ({ observedAt }) => observedAt),
    trip: numbers(({ place }) => place.trip),
    day: numbers(({ place }) => place.day),
    addedTrip: numbers(({ place }) => (place.addedTrip === null ? -1 : findAdded(place.addedTrip))),
    route: numbers(({ place }) => place.route),
    label: numbers(({ report }) => texts.row(report.trip?.lineLabel ?? null)),
    direction: numbers(({ report }) => texts.row(report.trip?.headsign ?? null)),
    position: Int16Array.from(vehicles, ({ place }) => place.position),
    isStopped: Uint8Array.from(vehicles, ({ report }) => (report.stopStatus === 'stoppedAt' ? 1 : 0)),
  };
}

/** A source with its memory. */
interface SourceState {
  readonly source: BuildSource;
  readonly memory: SourceMemory;
}

/** What is forecast, by source. */
interface PublishedPredictions {
  readonly predictions: Iterable<TripPrediction>;
  /** Models of transfers, serialised. */
  readonly transferModels: ReadonlyMap<string, Uint8Array>;
}

interface BuiltTables {
  readonly tables: RealtimeTables;
  /** Reports that were refused because times would fall along a trip, by position of their source. */
  readonly falling: ReadonlyMap<number, number>;
}

/** Builds the tables of a snapshot: the state of all sources at `now`, merged and settled. */
export function buildTables(
  sources: readonly SourceState[],
  planned: PlannedCalls,
  now: Instant,
  { predictions, transferModels }: PublishedPredictions,
): BuiltTables {
  const texts = collectTexts();
  const added = sortAdded(
    sources.flatMap(({ source, memory }) => [...memory.added.values()].map((trip) => ({ source, trip }))),
  );
  const allVehicles = sources.flatMap(({ source, memory }) =>
    [...memory.vehicles.values()].map((vehicle) => ({ source, vehicle })),
  );
  const vehicles = sortVehicles(allVehicles, now);
  const vehicleOccupancies = findVehicleOccupancies(
    allVehicles.map(({ vehicle }) => vehicle),
    planned,
    now,
  );
  const boards = sources.flatMap(({ source, memory }) =>
    [...memory.boards.values()].map(({ board, fetchedAt }) => ({ source, board, fetchedAt })),
  );
  const addedRows = new Map(added.map(({ trip }, row) => [datedTripKey(trip), row]));
  const sourceIds = sources.map(({ memory }) => memory.id);
  const predicted = buildPredictionTables(predictions, sourceIds, planned, now);
  const settling = openSettling();
  const context: TripBuildContext = {
    planned,
    texts,
    now,
    settling,
    findPredicted: openPredicted(predicted),
    vehicleOccupancies,
    findAdded: (name) => addedRows.get(name) ?? -1,
  };
  const alerts = sources.flatMap(({ memory }) =>
    [...memory.parts.values()].flatMap(({ alerts: matched, answeredAt }) =>
      matched.map(({ alert, places }) => ({ sourceId: memory.id, emittedAt: answeredAt, alert, places })),
    ),
  );
  const tables = {
    ...buildTripTables(collectTrips(sources, vehicleOccupancies), context),
    ...buildAddedTables(added, context),
    vehicles: buildVehicleTable(vehicles, texts, context.findAdded),
    alerts: {
      json: TextColumn.from(publishAlerts(keepNewestVersions(alerts), now).map((alert) => JSON.stringify(alert))),
    },
    ...buildBoardTables(boards, texts),
    ...predicted,
    ...buildTransferTables(transferModels, sourceIds),
    // Sharing systems have no trips: their tables are built separately.
    ...noSharing,
  };
  // Last, when every table has registered its texts.
  const complete = { ...tables, texts: { text: texts.column() } };
  const trips = { ...complete.trips, substitute: linkReplacements(complete, planned) };
  return { tables: { ...complete, trips }, falling: settling.refused };
}

/** Finds our predictions for a dated trip. */
function openPredicted({
  predictions,
  predictedCalls,
}: Pick<RealtimeTables, 'predictions' | 'predictedCalls'>): TripBuildContext['findPredicted'] {
  const rows = new Map(Array.from(predictions.trip, (trip, row) => [`${trip}.${predictions.day[row]}`, row]));
  return (trip, day) => {
    const row = rows.size === 0 ? undefined : rows.get(`${trip}.${day}`);
    if (row === undefined) return null;
    const first = predictions.firstCall[row]!;
    return {
      position: predictions.position[row]! + 1,
      medianSeconds: predictedCalls.median.subarray(first, first + predictions.callCount[row]!),
      expiresAt: predictions.observedAt[row]! + MAX_PREDICTION_AGE_SECONDS,
    };
  };
}

/** Includes trips of which only the occupancy of the vehicle is reported. */
function collectTrips(
  sources: readonly SourceState[],
  occupied: ReadonlyMap<string, VehicleOccupancy>,
): ReportedTrip[] {
  const dated = new Map<string, ReportedTrip & { reports: ReportedTrip['reports'][number][] }>();
  for (const { source, memory } of sources) {
    for (const [name, trip] of memory.trips) {
      const known = dated.get(name);
      if (known) known.reports.push({ source, memory: trip });
      else dated.set(name, { key: trip.key, day: trip.day, trip: trip.trip, reports: [{ source, memory: trip }] });
    }
  }
  for (const [name, { ref }] of occupied) {
    if (ref && !dated.has(name)) dated.set(name, { ...ref, reports: [] });
  }
  return [...dated.values()];
}
