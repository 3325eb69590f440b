import type { DatedTripTable } from './dated-trip-table.ts';

/** Weighted vote for the second of a minute. */
export class OffsetVotes {
  readonly #weights = new Float64Array(60);

  clear(): void {
    this.#weights.fill(0);
  }

  add(second: number, weight: number): void {
    this.#weights[second] = this.#weights[second]! + weight;
  }

  /** @returns the second with the most weight, the earliest of equals; `otherwise` without votes */
  winner(otherwise: number): number {
    let best = -1;
    let most = 0;
    for (let second = 0; second < 60; second++) {
      if (this.#weights[second]! > most) {
        most = this.#weights[second]!;
        best = second;
      }
    }
    return best < 0 ? otherwise : best;
  }
}

/** Numbers derived from the plan alone: the leg that ends at a call, its dwell, the pattern of a dated trip. */
export interface PlanIndex {
  /** Dated trips of one route with the same stops in the same order share a pattern; by dated trip. */
  readonly pattern: Int32Array;
  readonly patternCount: number;
  /** Leg that ends at a call: from stop, to stop; -1 at the first call; by call. */
  readonly leg: Int32Array;
  readonly legCount: number;
  /** The same with the planned running time, so that a slow and a fast train have different legs. */
  readonly plannedLeg: Int32Array;
  readonly plannedLegCount: number;
  /** Stop and route of a call, for dwell times; by call. */
  readonly stand: Int32Array;
  readonly standCount: number;
  /** Stop and planned seconds of a dwell; by call. */
  readonly plannedStand: Int32Array;
  readonly plannedStandCount: number;
}

/** Reads nothing but the plan of the table. */
export function buildPlanIndex(table: DatedTripTable): PlanIndex {
  const numbers = new PlanNumbers(table);
  for (let datedTrip = 0; datedTrip < table.datedTripCount; datedTrip++) numbers.add(datedTrip);
  return numbers;
}

/** `PlanIndex.pattern` alone, by trip. */
export function numberPatterns(table: DatedTripTable): Int32Array {
  const patterns = new Map<string, number>();
  return Int32Array.from({ length: table.datedTripCount }, (_, datedTrip) =>
    number(patterns, patternKey(table, datedTrip)),
  );
}

function patternKey({ callStart, route, stop }: DatedTripTable, datedTrip: number): string {
  return `${route[datedTrip]} ${stop.subarray(callStart[datedTrip], callStart[datedTrip + 1]).join(' ')}`;
}

/** The index of a table that may still grow: dated trips are numbered in order. */
export class PlanNumbers implements PlanIndex {
  readonly pattern: Int32Array;
  readonly leg: Int32Array;
  readonly plannedLeg: Int32Array;
  readonly stand: Int32Array;
  readonly plannedStand: Int32Array;
  readonly #table: DatedTripTable;
  readonly #patterns = new Map<string, number>();
  readonly #legs = new Map<number, number>();
  readonly #plannedLegs = new Map<string, number>();
  readonly #stands = new Map<number, number>();
  readonly #plannedStands = new Map<string, number>();

  constructor(table: DatedTripTable) {
    const callCount = table.stop.length;
    this.#table = table;
    this.pattern = new Int32Array(table.serviceDay.length);
    this.leg = new Int32Array(callCount);
    this.plannedLeg = new Int32Array(callCount);
    this.stand = new Int32Array(callCount);
    this.plannedStand = new Int32Array(callCount);
  }

  get patternCount(): number {
    return this.#patterns.size;
  }

  get legCount(): number {
    return this.#legs.size;
  }

  get plannedLegCount(): number {
    return this.#plannedLegs.size;
  }

  get standCount(): number {
    return this.#stands.size;
  }

  get plannedStandCount(): number {
    return this.#plannedStands.size;
  }

  add(datedTrip: number): void {
    const { callStart, route: routes, stop, routeCount, stopCount } = this.#table;
    const start = callStart[datedTrip]!;
    const end = callStart[datedTrip + 1]!;
    const route = routes[datedTrip]!;
    this.pattern[datedTrip] = number(this.#patterns, patternKey(this.#table, datedTrip));
    for (let call = start; call < end; call++) {
      this.stand[call] = number(this.#stands, stop[call]! * routeCount + route);
      const stood = plannedStandSeconds(this.#table, call);
      this.plannedStand[call] = number(this.#plannedStands, `${stop[call]} ${stood}`);
      if (call === start) {
        this.leg[call] = -1;
        this.plannedLeg[call] = -1;
        continue;
      }
      this.leg[call] = number(this.#legs, stop[call - 1]! * stopCount + stop[call]!);
      const ridden = plannedRunningSeconds(this.#table, call);
      this.plannedLeg[call] = number(this.#plannedLegs, `${this.leg[call]} ${ridden}`);
    }
  }
}

/** Planned seconds from the previous departure to the arrival at a call. */
function plannedRunningSeconds(table: DatedTripTable, call: number): number {
  return table.scheduledArrival[call]! - table.scheduledDeparture[call - 1]!;
}

/** Planned seconds from the arrival at a call to its departure. */
function plannedStandSeconds(table: DatedTripTable, call: number): number {
  return table.scheduledDeparture[call]! - table.scheduledArrival[call]!;
}

/** The number of a key; a new key gets the next one. */
function number<Key>(numbers: Map<Key, number>, key: Key): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}
