import { TextColumn } from '../../model/column.ts';
import { OBSERVED } from '../../model/observation.ts';
import { isFreshPrediction, type TripPrediction } from '../../model/prediction.ts';
import type { StationBoard } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import { type RealtimeTables, VEHICLE_MAX_AGE_SECONDS } from '../snapshot/realtime-contract.ts';
import { buildAddedTables, sortAdded } from './build-added.ts';
import {
  type BuildSource,
  buildTripTables,
  collectTexts,
  type Texts,
  type TripContext,
  type TripWitnesses,
} from './build-trips.ts';
import { nameDated, type SourceMemory, type VehicleMemory } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import { keepNewestWords, publishAlerts } from './publish-alerts.ts';

export interface BoardWitness {
  readonly source: BuildSource;
  readonly board: StationBoard;
  readonly fetchedAt: number;
}

/** Every number of so many digits fits the column. */
const STATION_NUMBER = /^\d{1,9}$/;

/** Boards of stations by number; of two sources that have one, the fresher, and a frozen one only for want of another. */
export function buildBoardTables(
  boards: readonly BoardWitness[],
  texts: Texts,
): Pick<RealtimeTables, 'stationBoards' | 'stationDepartures'> {
  const numbered = boards.filter(({ board }) => STATION_NUMBER.test(board.station));
  const sorted = numbered
    .sort((a, b) => Number(a.board.station) - Number(b.board.station) || compareWitnesses(a, b))
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

function compareWitnesses(a: BoardWitness, b: BoardWitness): number {
  return (
    Number(a.board.isFrozen) - Number(b.board.isFrozen) || b.fetchedAt - a.fetchedAt || a.source.index - b.source.index
  );
}

/** Rows that a prediction leads to. */
interface PlacedPrediction {
  readonly trip: number;
  readonly source: number;
  readonly prediction: TripPrediction;
}

/**
 * The predictions that may still be told: made from an observation that is fresh enough, of trips that the timetable
 * holds as they were forecast. Of several for one dated trip the newest observation counts.
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
    // Another timetable may hold the trip with other calls: then nobody knows which call is meant.
    if (planned.callCount(trip) !== prediction.position + 1 + prediction.median.length) continue;
    placed.push({ trip, source, prediction });
  }
  return placed;
}

/** Sorted by trip, then day, one each. */
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

interface VehicleWitness {
  readonly source: BuildSource;
  readonly vehicle: VehicleMemory;
}

/** The vehicles worth showing, by source, then id; of two that say they run the same trip only the one seen last. */
function sortVehicles(vehicles: readonly VehicleWitness[], now: number): VehicleWitness[] {
  const newest = new Map<string, VehicleWitness>();
  for (const witness of vehicles) {
    if (now - witness.vehicle.observedAt > VEHICLE_MAX_AGE_SECONDS) continue;
    const run = nameRun(witness);
    const known = newest.get(run);
    if (!known || compareAges(witness, known) < 0) newest.set(run, witness);
  }
  return [...newest.values()].sort(compareNames);
}

/** The one seen last first; of two seen at once always the same one. */
function compareAges(a: VehicleWitness, b: VehicleWitness): number {
  return b.vehicle.observedAt - a.vehicle.observedAt || compareNames(a, b);
}

function compareNames(a: VehicleWitness, b: VehicleWitness): number {
  if (a.source.index !== b.source.index) return a.source.index - b.source.index;
  const [one, other] = [a.vehicle.report.id, b.vehicle.report.id];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A train of two units says its trip twice; a vehicle without a trip stands for itself. */
function nameRun({ source, vehicle: { report, place } }: VehicleWitness): string {
  if (place.trip >= 0) return `trip ${place.trip}.${place.day}`;
  return place.addedTrip === null ? `${source.index} ${report.id}` : `added ${place.addedTrip}`;
}

/** @param findAdded row of `addedTrips` by its name, or -1 */
function buildVehicleTable(
  sorted: readonly VehicleWitness[],
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

/** A source, and all that it said. */
interface Speaker {
  readonly source: BuildSource;
  readonly memory: SourceMemory;
}

/** The tables of a snapshot: what all sources say at a moment, made one. */
export function buildTables(
  speakers: readonly Speaker[],
  planned: PlannedCalls,
  now: Instant,
  predictions: Iterable<TripPrediction>,
): RealtimeTables {
  const texts = collectTexts();
  const added = sortAdded(
    speakers.flatMap(({ source, memory }) => [...memory.added.values()].map((trip) => ({ source, trip }))),
  );
  const vehicles = sortVehicles(
    speakers.flatMap(({ source, memory }) => [...memory.vehicles.values()].map((vehicle) => ({ source, vehicle }))),
    now,
  );
  const boards = speakers.flatMap(({ source, memory }) =>
    [...memory.boards.values()].map(({ board, fetchedAt }) => ({ source, board, fetchedAt })),
  );
  const addedRows = new Map(added.map(({ trip }, row) => [nameDated(trip), row]));
  const context: TripContext = {
    planned,
    texts,
    now,
    findAdded: (name) => addedRows.get(name) ?? -1,
  };
  const alerts = speakers.flatMap(({ memory }) =>
    [...memory.parts.values()].flatMap(({ alerts: told, answeredAt }) =>
      told.map(({ alert, places }) => ({ sourceId: memory.id, emittedAt: answeredAt, alert, places })),
    ),
  );
  const tables = {
    ...buildTripTables(collectTrips(speakers), context),
    ...buildAddedTables(added, context),
    vehicles: buildVehicleTable(vehicles, texts, context.findAdded),
    alerts: {
      json: TextColumn.from(publishAlerts(keepNewestWords(alerts), now).map((alert) => JSON.stringify(alert))),
    },
    ...buildBoardTables(boards, texts),
    ...buildPredictionTables(
      predictions,
      speakers.map(({ memory }) => memory.id),
      planned,
      now,
    ),
  };
  // The last one: by now every table has named its texts.
  return { ...tables, texts: { text: texts.column() } };
}

function collectTrips(speakers: readonly Speaker[]): TripWitnesses[] {
  const dated = new Map<string, TripWitnesses & { words: TripWitnesses['words'][number][] }>();
  for (const { source, memory } of speakers) {
    for (const [name, trip] of memory.trips) {
      const known = dated.get(name);
      if (known) known.words.push({ source, memory: trip });
      else dated.set(name, { key: trip.key, day: trip.day, trip: trip.trip, words: [{ source, memory: trip }] });
    }
  }
  return [...dated.values()];
}
