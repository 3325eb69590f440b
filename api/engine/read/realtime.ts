import { lowerBound, partitionPoint } from '../../../pipeline/model/binary-search.ts';
import { PREDICTED, UNKNOWN } from '../../../pipeline/model/observation.ts';
import {
  type RealtimeManifest,
  type RealtimeSnapshot,
  type RealtimeSourceState,
  type RealtimeTables,
  tripFlags,
} from '../../../pipeline/snapshots/realtime-contract.ts';
import { type FindNamedPast, openPastDelays } from '../../../pipeline/snapshots/transfer-model/past-delays.ts';
import type { TransferModel } from '../../../pipeline/snapshots/transfer-model/transfer-model.ts';
import { readTransferModel } from '../../../pipeline/snapshots/transfer-model/transfer-model-bytes.ts';
import { type AlertIndex, indexAlerts, openAlerts } from './alerts.ts';
import type { Timetable } from './timetable.ts';

/** The loaded realtime snapshot; its rows refer to one timetable. */
export interface Realtime {
  readonly manifest: RealtimeManifest;
  readonly tables: RealtimeTables;
  readonly alertIndex: AlertIndex;
  /** Learnt probabilities of transfers, by source: its position in the manifest. */
  readonly transferModels: ReadonlyMap<number, TransferModel>;
  /** Delays of past days that these models know. */
  readonly pastDelays: ReadonlyMap<number, FindNamedPast>;
}

/** The data that the service answers from: one timetable, and its realtime, if any. */
export interface Published {
  readonly timetable: Timetable;
  readonly realtime: Realtime | null;
}

/** @param before the previous one, whose unchanged alerts are reused */
export function openRealtime({ manifest, tables }: RealtimeSnapshot, before: Realtime | null): Realtime {
  const published = openAlerts(tables.alerts.json, before?.alertIndex ?? null);
  const transferModels = openTransferModels(tables);
  const pastDelays = new Map([...transferModels].map(([source, { past }]) => [source, openPastDelays(past)]));
  return { manifest, tables, alertIndex: indexAlerts(published), transferModels, pastDelays };
}

function openTransferModels({ transferModels, transferModelBytes }: RealtimeTables): Map<number, TransferModel> {
  const models = new Map<number, TransferModel>();
  transferModels.source.forEach((source, row) => {
    const first = transferModels.firstByte[row]!;
    const model = readTransferModel(transferModelBytes.byte.subarray(first, first + transferModels.byteCount[row]!));
    if (model) models.set(source, model);
  });
  return models;
}

/** The snapshot without our own forecasts: while they are paused, no route and no planner uses them. */
export function withoutPredictions({ manifest, tables }: RealtimeSnapshot): RealtimeSnapshot {
  const { predictions, predictedCalls, transferModels } = tables;
  return {
    manifest,
    tables: {
      ...tables,
      ...withoutPredictedTimes(tables),
      predictions: emptied(predictions),
      predictedCalls: emptied(predictedCalls),
      transferModels: emptied(transferModels),
    },
  };
}

/** Replaces predicted times by scheduled ones; the affected trips are settled again when they are read. */
function withoutPredictedTimes({ trips, calls }: RealtimeTables): Pick<RealtimeTables, 'trips' | 'calls'> {
  if (!calls.arrivalPrognosis.includes(PREDICTED) && !calls.departurePrognosis.includes(PREDICTED)) {
    return { trips, calls };
  }
  const isKept = (prognosis: Uint8Array) => (time: number, row: number) => (prognosis[row] === PREDICTED ? 0 : time);
  const known = (prognosis: number) => (prognosis === PREDICTED ? UNKNOWN : prognosis);
  return {
    trips: { ...trips, settledUntil: trips.settledUntil.map(() => 0) },
    calls: {
      ...calls,
      arrival: calls.arrival.map(isKept(calls.arrivalPrognosis)),
      departure: calls.departure.map(isKept(calls.departurePrognosis)),
      arrivalPrognosis: calls.arrivalPrognosis.map(known),
      departurePrognosis: calls.departurePrognosis.map(known),
    },
  };
}

function emptied<Table extends Readonly<Record<string, { slice(from: number, to: number): unknown }>>>(
  table: Table,
): Table {
  return Object.fromEntries(Object.entries(table).map(([name, column]) => [name, column.slice(0, 0)])) as Table;
}

/** States of the sources when the realtime snapshot was published; empty without one. */
export function listSources({ realtime }: Published): readonly RealtimeSourceState[] {
  return realtime?.manifest.sources ?? [];
}

// ---- Dated trips -------------------------------------------------------------------------------

/** @returns row of `trips` of the snapshot, or -1 */
export function findLiveTrip({ tables }: Realtime, trip: number, day: number): number {
  return findDated(tables.trips, trip, day);
}

/** @returns row of `predictions` of the snapshot, or -1 */
export function findPrediction({ tables }: Realtime, trip: number, day: number): number {
  return findDated(tables.predictions, trip, day);
}

/** @returns row of a dated trip in a table that is sorted by trip, then day; -1 without one */
function findDated(sorted: { readonly trip: Int32Array; readonly day: Int32Array }, trip: number, day: number): number {
  const row = partitionPoint(0, sorted.trip.length, (at) =>
    sorted.trip[at] === trip ? sorted.day[at]! < day : sorted.trip[at]! < trip,
  );
  return sorted.trip[row] === trip && sorted.day[row] === day ? row : -1;
}

/** @returns row of `addedTrips` of the snapshot, or -1 */
export function findAddedTrip({ tables }: Realtime, key: bigint, day: number): number {
  const { addedTrips } = tables;
  const row = partitionPoint(0, addedTrips.key.length, (at) =>
    addedTrips.key[at] === key ? addedTrips.day[at]! < day : addedTrips.key[at]! < key,
  );
  return addedTrips.key[row] === key && addedTrips.day[row] === day ? row : -1;
}

export function hasFlag(flags: number, flag: keyof typeof tripFlags): boolean {
  return (flags & tripFlags[flag]) !== 0;
}

/** Whether a dated trip must not be shown: it is reported as deleted, or an added trip replaces it. */
export function isHidden({ tables }: Realtime, row: number): boolean {
  return (tables.trips.flags[row]! & (tripFlags.deleted | tripFlags.replaced)) !== 0;
}

/** @param row of `texts`, or -1 */
export function findText({ tables }: Realtime, row: number): string | null {
  return row < 0 ? null : tables.texts.text.get(row);
}

// ---- Stops -------------------------------------------------------------------------------------

/** @returns index of a stop in a sorted list, or -1 */
export function findStopRow(sorted: Int32Array, stop: number): number {
  const row = lowerBound(sorted, stop);
  return sorted[row] === stop ? row : -1;
}
