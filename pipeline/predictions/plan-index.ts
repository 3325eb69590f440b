import type { RunTable } from './run-table.ts';

/** Numbers for what the plan alone says: which leg a call ends, where it stops, which calls a run makes. */
export interface PlanIndex {
  /** Runs of one route that call at the same stops in the same order share a pattern; by run. */
  readonly pattern: Int32Array;
  readonly patternCount: number;
  /** Leg that ends at a call: from stop, to stop; -1 at the first call; by call. */
  readonly leg: Int32Array;
  readonly legCount: number;
  /** The same with the planned running time, so that a slow and a fast train are two legs. */
  readonly plannedLeg: Int32Array;
  readonly plannedLegCount: number;
  /** Stop and route of a call, for what happens while a vehicle stands; by call. */
  readonly stand: Int32Array;
  readonly standCount: number;
  /** Stop and planned seconds of a stand; by call. */
  readonly plannedStand: Int32Array;
  readonly plannedStandCount: number;
}

/** Reads nothing but the plan of the table. */
export function buildPlanIndex(table: RunTable): PlanIndex {
  const callCount = table.stop.length;
  const pattern = new Int32Array(table.runCount);
  const leg = new Int32Array(callCount);
  const plannedLeg = new Int32Array(callCount);
  const stand = new Int32Array(callCount);
  const plannedStand = new Int32Array(callCount);
  const patterns = new Map<string, number>();
  const legs = new Map<number, number>();
  const plannedLegs = new Map<string, number>();
  const stands = new Map<number, number>();
  const plannedStands = new Map<string, number>();
  for (let run = 0; run < table.runCount; run++) {
    const start = table.callStart[run]!;
    const end = table.callStart[run + 1]!;
    const route = table.route[run]!;
    pattern[run] = number(patterns, `${route} ${table.stop.subarray(start, end).join(' ')}`);
    for (let call = start; call < end; call++) {
      stand[call] = number(stands, table.stop[call]! * table.routeCount + route);
      plannedStand[call] = number(plannedStands, `${table.stop[call]} ${plannedStandSeconds(table, call)}`);
      if (call === start) {
        leg[call] = -1;
        plannedLeg[call] = -1;
        continue;
      }
      leg[call] = number(legs, table.stop[call - 1]! * table.stopCount + table.stop[call]!);
      plannedLeg[call] = number(plannedLegs, `${leg[call]} ${plannedRunSeconds(table, call)}`);
    }
  }
  return {
    pattern,
    patternCount: patterns.size,
    leg,
    legCount: legs.size,
    plannedLeg,
    plannedLegCount: plannedLegs.size,
    stand,
    standCount: stands.size,
    plannedStand,
    plannedStandCount: plannedStands.size,
  };
}

/** Planned seconds from the departure before a call to its arrival. */
export function plannedRunSeconds(table: RunTable, call: number): number {
  return table.scheduledArrival[call]! - table.scheduledDeparture[call - 1]!;
}

/** Planned seconds from the arrival at a call to its departure. */
export function plannedStandSeconds(table: RunTable, call: number): number {
  return table.scheduledDeparture[call]! - table.scheduledArrival[call]!;
}

/** The number of a key: the next one where it is new. */
function number<Key>(numbers: Map<Key, number>, key: Key): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}
