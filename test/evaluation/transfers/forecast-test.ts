import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import type { CaseFacts } from '../../../pipeline/predictions/past-transfers/case-facts.ts';
import type { LearntTransfers } from '../../../pipeline/predictions/past-transfers/learn-transfers.ts';
import {
  isLiveCase,
  type TransferCases,
  transferOf,
} from '../../../pipeline/predictions/past-transfers/transfer-cases.ts';
import {
  calibrateChance,
  type PredictionOutcomes,
  SHIFT_DAYS,
  shiftCalibration,
} from '../../../pipeline/snapshots/transfer-model/transfer-calibration.ts';
import { transferColumns, writeTransferFacts } from '../../../pipeline/snapshots/transfer-model/transfer-facts.ts';
import { predictChances } from '../../../pipeline/snapshots/transfer-model/transfer-model.ts';

/** Forecasts of one day before calibration, with the time at which each outcome is known; UTC seconds. */
interface DayForecasts extends PredictionOutcomes {
  readonly knownAt: Float64Array;
}

/**
 * Forecasts the cases of the test day by day, each shifted by the outcomes of the days before it that were known at its
 * first instant.
 * @param learnt whose forecasts of days that were not seen are the outcomes before the test
 * @param test places of `cases`
 * @returns the probability of each case of the test
 */
export function forecastTransferTest(
  table: DatedTripTable,
  learnt: LearntTransfers,
  cases: TransferCases,
  facts: CaseFacts,
  test: Int32Array,
): (place: number) => number {
  const { model, unseen } = learnt;
  const days = new Map<number, DayForecasts>();
  for (const [day, rows] of groupRows(Int32Array.from(learnt.cases.day.keys()), learnt.cases.day)) {
    days.set(day, {
      forecast: Float32Array.from(rows, (row) => unseen.forecast[row]!),
      held: Uint8Array.from(rows, (row) => unseen.held[row]!),
      secondsToArrival: Float32Array.from(rows, (row) => unseen.secondsToArrival[row]!),
      isLive: Uint8Array.from(rows, (row) => unseen.isLive[row]!),
      knownAt: Float64Array.from(rows, (row) => findOutcomeTime(table, learnt.cases, row)),
    });
  }
  const result = new Map<number, number>();
  for (const [day, rows] of groupRows(test, cases.day)) {
    const places = rows.map((row) => test[row]!);
    const requested = places.reduce(
      (first, place) => Math.min(first, cases.requestedAt[place]!),
      Number.POSITIVE_INFINITY,
    );
    const calibration = shiftCalibration(model.calibration, listRecent(days, day, requested));
    const forecast = predictChances(model, writeRows(facts, places));
    const secondsToArrival = Float32Array.from(places, (place) => cases.secondsToArrival[place]!);
    const isLive = Uint8Array.from(places, (place) => (isLiveCase(cases, place) ? 1 : 0));
    places.forEach((place, row) => {
      const calibrated = calibrateChance(
        calibration,
        { secondsToArrival: secondsToArrival[row]!, isLive: isLive[row] === 1 },
        forecast[row]!,
      );
      result.set(place, calibrated?.probability ?? forecast[row]!);
    });
    days.set(day, {
      forecast,
      held: Uint8Array.from(places, (place) => (cases.leftSeconds[place]! >= 0 ? 1 : 0)),
      secondsToArrival,
      isLive,
      knownAt: Float64Array.from(places, (place) => findOutcomeTime(table, cases, place)),
    });
  }
  return (place) => result.get(place)!;
}

function findOutcomeTime(table: DatedTripTable, { transfers }: TransferCases, place: number): number {
  const transfer = transferOf(place);
  const { arrival, departure } = transfers;
  return Math.max(table.arrivalTime[arrival[transfer]!]!, table.departureTime[departure[transfer]!]!);
}

/** Rows by day, days in order. */
function groupRows(places: Int32Array, day: Int32Array): [number, number[]][] {
  const rows = new Map<number, number[]>();
  places.forEach((place, row) => {
    const known = rows.get(day[place]!);
    if (known) known.push(row);
    else rows.set(day[place]!, [row]);
  });
  return [...rows].sort(([a], [b]) => a - b);
}

/** The outcomes of the previous days that were known at a instant. */
function listRecent(days: ReadonlyMap<number, DayForecasts>, day: number, at: number): PredictionOutcomes {
  const forecast: number[] = [];
  const held: number[] = [];
  const secondsToArrival: number[] = [];
  const isLive: number[] = [];
  for (let before = day - SHIFT_DAYS; before < day; before++) {
    const past = days.get(before);
    past?.knownAt.forEach((knownAt, row) => {
      if (knownAt > at) return;
      forecast.push(past.forecast[row]!);
      held.push(past.held[row]!);
      secondsToArrival.push(past.secondsToArrival[row]!);
      isLive.push(past.isLive[row]!);
    });
  }
  return {
    forecast: Float32Array.from(forecast),
    held: Uint8Array.from(held),
    secondsToArrival: Float32Array.from(secondsToArrival),
    isLive: Uint8Array.from(isLive),
  };
}

function writeRows(facts: CaseFacts, places: readonly number[]): Float32Array {
  const width = transferColumns.length;
  const values = new Float32Array(places.length * width);
  places.forEach((place, row) => {
    writeTransferFacts(facts.get(place), values.subarray(row * width, (row + 1) * width));
  });
  return values;
}
