import type { DatedTripTable } from './dated-trip-table.ts';
import type { PlanIndex } from './plan-index.ts';
import type { RecentValues } from './recent-values.ts';
import { typicalExcess } from './typical-excess.ts';

/** Seconds after which a value counts 1/e, and after which a series counts as unknown. */
const FADE_SECONDS = 1800;
const MAX_AGE_SECONDS = 5400;
/** Limits of the time lost on one leg: a single blocked vehicle must not hide the others. Seconds. */
const [MIN_LOST, MAX_LOST] = [-600, 1800];
/** A vehicle that is late by more than this has probably been lost, not delayed. Seconds. */
const MAX_OVERDUE_SECONDS = 7200;

/** Means of series whose values count less with age. Values may arrive in any order. */
export class FadingMeans {
  readonly #sum: Float64Array;
  readonly #weight: Float64Array;
  /** UTC seconds of the newest value. */
  readonly #newest: Float64Array;

  constructor(seriesCount: number) {
    this.#sum = new Float64Array(seriesCount);
    this.#weight = new Float64Array(seriesCount);
    this.#newest = new Float64Array(seriesCount).fill(Number.NEGATIVE_INFINITY);
  }

  add(series: number, value: number, at: number): void {
    const newest = this.#newest[series]!;
    const weight = at < newest ? fadeAfter(newest - at) : 1;
    const fade = at > newest ? fadeAfter(at - newest) : 1;
    this.#sum[series] = this.#sum[series]! * fade + weight * value;
    this.#weight[series] = this.#weight[series]! * fade + weight;
    if (at > newest) this.#newest[series] = at;
  }

  /** @returns NaN without a recent value */
  mean(series: number, at: number): number {
    return at - this.#newest[series]! > MAX_AGE_SECONDS ? Number.NaN : this.#sum[series]! / this.#weight[series]!;
  }
}

/** A series without a recent value begins again. */
function fadeAfter(seconds: number): number {
  return seconds > MAX_AGE_SECONDS ? 0 : Math.exp(-seconds / FADE_SECONDS);
}

/** A vehicle that has set out on a leg. */
interface VehicleOnLeg {
  /** At the end of the leg. */
  readonly call: number;
  readonly datedTrip: number;
  readonly expectedArrival: number;
}

/** The last two vehicles that have set out on a leg. */
interface LegTraffic {
  newest: VehicleOnLeg | null;
  before: VehicleOnLeg | null;
}

/** What was observed lately of all vehicles: delays by stop and route, and where vehicles are on their legs. */
export class Traffic {
  /** Delays of arrivals, by stop and by route. */
  readonly stopDelays: FadingMeans;
  readonly routeDelays: FadingMeans;
  /** Time lost on the legs that end at a stop, by stop. */
  readonly timeLost: FadingMeans;
  readonly #table: DatedTripTable;
  readonly #index: PlanIndex;
  readonly #plannedLegs: RecentValues;
  readonly #legValues: RecentValues;
  readonly #legs: LegTraffic[];
  /** The last call of each trip with an event; -1 before the first one. */
  readonly #progress: Int32Array;

  constructor(table: DatedTripTable, index: PlanIndex, plannedLegs: RecentValues, legs: RecentValues) {
    this.stopDelays = new FadingMeans(table.stopCount);
    this.routeDelays = new FadingMeans(table.routeCount);
    this.timeLost = new FadingMeans(table.stopCount);
    this.#table = table;
    this.#index = index;
    this.#plannedLegs = plannedLegs;
    this.#legValues = legs;
    this.#legs = Array.from({ length: index.legCount }, () => ({ newest: null, before: null }));
    this.#progress = new Int32Array(table.callStart.length).fill(-1);
  }

  /** Must be called before the statistics of legs contain the arrival. */
  onArrival(call: number, datedTrip: number, at: number): void {
    const { callStart, stop, route, arrivalDelay, departureDelay } = this.#table;
    if (call === callStart[datedTrip]) return;
    this.#moveOn(datedTrip, call);
    const delay = arrivalDelay[call]!;
    if (Number.isNaN(delay)) return;
    this.stopDelays.add(stop[call]!, delay, at);
    this.routeDelays.add(route[datedTrip]!, delay, at);
    const lost = delay - departureDelay[call - 1]! - this.#typicalExcess(call);
    if (!Number.isNaN(lost)) this.timeLost.add(stop[call]!, Math.max(MIN_LOST, Math.min(MAX_LOST, lost)), at);
  }

  /** A departure that was filled in, because the source does not report it, is no event. */
  onDeparture(call: number, datedTrip: number): void {
    const { callStart, scheduledArrival, departureDelay, departureOffset, isDepartureReported } = this.#table;
    if (isDepartureReported[call] !== 1 || call === callStart[datedTrip + 1]! - 1) return;
    this.#moveOn(datedTrip, call);
    const next = call + 1;
    const leg = this.#legOf(next);
    if (leg.newest?.call !== next) leg.before = leg.newest;
    const planned = scheduledArrival[next]! + departureDelay[call]! + departureOffset[call]!;
    leg.newest = { call: next, datedTrip, expectedArrival: planned + this.#typicalExcess(next) };
  }

  /** By how much the vehicles on the leg that ends at a call are overdue there; 0 without any. */
  findOverdue(call: number, at: number): number {
    const { newest, before } = this.#legOf(call);
    return Math.max(this.#overdue(newest, call, at), this.#overdue(before, call, at));
  }

  #overdue(vehicle: VehicleOnLeg | null, call: number, at: number): number {
    // The vehicle itself does not count, nor one of which a later event is known.
    if (!vehicle || vehicle.call === call || this.#progress[vehicle.datedTrip]! >= vehicle.call) return 0;
    const overdue = at - vehicle.expectedArrival;
    return overdue > 0 && overdue < MAX_OVERDUE_SECONDS ? overdue : 0;
  }

  #moveOn(datedTrip: number, call: number): void {
    if (call > this.#progress[datedTrip]!) this.#progress[datedTrip] = call;
  }

  /** The leg that ends at a call; new legs of a growing table are added. */
  #legOf(call: number): LegTraffic {
    const leg = this.#index.leg[call]!;
    while (this.#legs.length <= leg) this.#legs.push({ newest: null, before: null });
    return this.#legs[leg]!;
  }

  #typicalExcess(call: number): number {
    return typicalExcess(this.#plannedLegs, this.#legValues, this.#index, call);
  }
}
