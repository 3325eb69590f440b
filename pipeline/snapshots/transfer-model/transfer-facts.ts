import { type DelayQuantiles, findIndependentChance } from '../../model/delay-distribution.ts';

/** What is known of one vehicle of a transfer. Seconds. */
export interface TransferSide {
  /** Of its delay at the stop of the transfer: three equal values once it was observed there; null without one. */
  readonly forecast: DelayQuantiles | null;
  /**
   * Last observed delay of the vehicle, wherever that was, and seconds since; of one that was not observed yet, its
   * reported delay; null without either.
   */
  readonly observed: { readonly delaySeconds: number; readonly ageSeconds: number } | null;
  /**
   * Since the planned time of its next event (the first departure, for a trip that has not begun), which was not
   * observed yet; 0 before that time.
   */
  readonly overdueSeconds: number;
  /** Delays there on past days; absent if there are none, or if they are not needed. */
  readonly past?: DelayQuantiles | null;
}

/** What is known of a transfer between two vehicles. Seconds. */
export interface TransferFacts {
  /** Planned between arrival and departure, and what the transfer needs. */
  readonly plannedSeconds: number;
  readonly neededSeconds: number;
  /** From now to the planned arrival; negative when that is past. */
  readonly secondsToArrival: number;
  /** Hour of the planned arrival by the clock there, 0 to 23. */
  readonly hour: number;
  /** Planned dwell of the second vehicle at the stop, which its delay may use up; null where its trip begins there. */
  readonly dwellSeconds: number | null;
  readonly arrival: TransferSide;
  readonly departure: TransferSide;
}

/** Columns of a transfer, in the order of a row; NaN where something is not known. Seconds. */
export const transferColumns = [
  'spare_seconds',
  'seconds_to_arrival',
  'arrival_observed',
  'arrival_observed_age',
  'arrival_overdue',
  'arrival_low',
  'arrival_median',
  'arrival_high',
  'departure_observed',
  'departure_observed_age',
  'departure_overdue',
  'departure_low',
  'departure_median',
  'departure_high',
  'left_by_observed',
  'left_by_median',
  'left_by_overdue',
  'left_at_worst',
  'independent_chance',
  'hour',
  'departure_dwell',
  'arrival_past_median',
  'arrival_past_high',
  'departure_past_low',
  'departure_past_median',
] as const;

/** Columns in which the probability never falls: with more time left, a transfer is made no less often. */
export const risingColumns = [
  'spare_seconds',
  'left_by_observed',
  'left_by_median',
  'left_by_overdue',
  'left_at_worst',
  'independent_chance',
] as const satisfies readonly (typeof transferColumns)[number][];

/** `live`: something is known of both vehicles now; `history`: one of them is known from past days alone. */
export type ProbabilitySource = 'live' | 'history';

export function findProbabilitySource({ arrival, departure }: TransferFacts): ProbabilitySource {
  return isReported(arrival) && isReported(departure) ? 'live' : 'history';
}

function isReported({ forecast, observed }: TransferSide): boolean {
  return (forecast ?? observed) !== null;
}

/** Whether an observation or a forecast of either vehicle is known. */
export function isEitherReported({ arrival, departure }: TransferFacts): boolean {
  return isReported(arrival) || isReported(departure);
}

/** Whether an observation or a forecast of either vehicle is known, or its past days are. */
export function isAnythingKnown({ arrival, departure }: TransferFacts): boolean {
  return [arrival, departure].some((side) => isReported(side) || (side.past ?? null) !== null);
}

/** Writes the columns of `transferColumns`. */
export function writeTransferFacts(facts: TransferFacts, row: Float32Array): void {
  const { arrival, departure } = facts;
  const spare = facts.plannedSeconds - facts.neededSeconds;
  const [late, leaves] = [expectDelay(arrival), Math.max(0, expectDelay(departure))];
  row[0] = spare;
  row[1] = facts.secondsToArrival;
  writeSide(arrival, row, 2);
  writeSide(departure, row, 8);
  row[14] = spare + (departure.observed?.delaySeconds ?? 0) - (arrival.observed?.delaySeconds ?? 0);
  row[15] = spare + leaves - late;
  row[16] = spare + Math.max(leaves, departure.overdueSeconds) - Math.max(late, arrival.overdueSeconds);
  row[17] = spare + Math.max(0, departure.forecast?.low ?? 0) - (arrival.forecast?.high ?? late);
  row[18] = findIndependence(facts);
  row[19] = facts.hour;
  row[20] = facts.dwellSeconds ?? Number.NaN;
  row[21] = arrival.past?.median ?? Number.NaN;
  row[22] = arrival.past?.high ?? Number.NaN;
  row[23] = departure.past?.low ?? Number.NaN;
  row[24] = departure.past?.median ?? Number.NaN;
}

function writeSide({ forecast, observed, overdueSeconds }: TransferSide, row: Float32Array, first: number): void {
  row[first] = observed?.delaySeconds ?? Number.NaN;
  row[first + 1] = observed?.ageSeconds ?? Number.NaN;
  row[first + 2] = overdueSeconds;
  row[first + 3] = forecast?.low ?? Number.NaN;
  row[first + 4] = forecast?.median ?? Number.NaN;
  row[first + 5] = forecast?.high ?? Number.NaN;
}

/** The median forecast, else the last observed delay, else none. */
function expectDelay({ forecast, observed }: TransferSide): number {
  return forecast?.median ?? observed?.delaySeconds ?? 0;
}

/** Probability if the two delays are independent; a side without a forecast keeps its last observed delay. */
export function findIndependence({ plannedSeconds, neededSeconds, arrival, departure }: TransferFacts): number {
  return findIndependentChance(
    arrival.forecast ?? expectDelay(arrival),
    departure.forecast ?? expectDelay(departure),
    plannedSeconds - neededSeconds,
  );
}
