import type { Duckdb } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';

/** GTFS pathway_mode: step-free modes, which include lifts. */
const STEP_FREE_MODES = [1, 3, 5, 6, 7];
const ELEVATOR = 5;
/** GTFS location_type. */
const [PLATFORM, ENTRANCE] = [0, 2];
/** Value of `lifts` if a path needs no lift. */
const NO_LIFT = 255;

/** Reads the step-free pathways of all feeds, each once, because versions of a feed repeat them. */
export async function readPathways(db: Duckdb) {
  const from = `from (
    select distinct feed_source, pathway_id, from_stop_index, to_stop_index, pathway_mode, is_bidirectional
    from (select *, source_index as feed_source from all_pathways)
    where pathway_mode in (${STEP_FREE_MODES.join(', ')}))`;
  const [count] = await db.query(`select count(*)::int as n ${from}`);
  return readColumns(
    db,
    {
      from: ['i32', 'from_stop_index'],
      to: ['i32', 'to_stop_index'],
      mode: ['u8', 'pathway_mode'],
      isBidirectional: ['u8', 'is_bidirectional::int'],
    },
    `${from} order by all`,
    Number(count?.n),
  );
}

type Pathways = Awaited<ReturnType<typeof readPathways>>;

/**
 * Builds the table of platforms with a published step-free path to the street. One-way pathways count in both
 * directions: in practice only gates are one-way, next to a gate in the other direction.
 */
export function buildStepFreeStops(
  pathways: Pathways,
  locationType: Uint8Array,
): Pick<TimetableTables, 'stepFreeStops'> {
  const groupOf = joinWithoutLifts(pathways);
  const lifts = countLifts(pathways, groupOf);
  const places = [...new Set([...pathways.from, ...pathways.to])].sort((a, b) => a - b);
  const entrances = new Set(places.filter((stop) => locationType[stop] === ENTRANCE).map(groupOf));
  const known = new Map<number, number>();
  const countOf = (group: number) => {
    const count = known.get(group) ?? (entrances.has(group) ? NO_LIFT : countCut(lifts, group, entrances));
    known.set(group, count);
    return count;
  };
  const rows = places
    .filter((stop) => locationType[stop] === PLATFORM)
    .map((stop) => ({ stop, group: groupOf(stop), count: countOf(groupOf(stop)) }))
    .filter(({ count }) => count > 0);
  return {
    stepFreeStops: {
      stop: Int32Array.from(rows, ({ stop }) => stop),
      lifts: Uint8Array.from(rows, ({ count }) => count),
      group: Int32Array.from(rows, ({ group }) => group),
    },
  };
}

/** @returns by stop, the lowest row of the stops that are connected with it without a lift */
function joinWithoutLifts({ from, to, mode }: Pathways): (stop: number) => number {
  const parents = new Map<number, number>();
  const groupOf = (stop: number): number => {
    const parent = parents.get(stop) ?? stop;
    return parent === stop ? stop : groupOf(parent);
  };
  for (let row = 0; row < from.length; row++) {
    if (mode[row] === ELEVATOR) continue;
    const [one, other] = [groupOf(from[row]!), groupOf(to[row]!)];
    parents.set(Math.max(one, other), Math.min(one, other));
  }
  return groupOf;
}

/** Number of lifts between two groups, in both directions. */
type Lifts = ReadonlyMap<number, ReadonlyMap<number, number>>;

function countLifts({ from, to, mode, isBidirectional }: Pathways, groupOf: (stop: number) => number): Lifts {
  const lifts = new Map<number, Map<number, number>>();
  const oneWay = new Map<string, number>();
  const add = (a: number, b: number) => {
    const ofOne = lifts.get(a) ?? new Map<number, number>();
    lifts.set(a, ofOne.set(b, (ofOne.get(b) ?? 0) + 1));
  };
  for (let row = 0; row < from.length; row++) {
    if (mode[row] !== ELEVATOR) continue;
    const [a, b] = [groupOf(from[row]!), groupOf(to[row]!)];
    if (a === b) continue;
    // A lift may be written as two pathways, one for each direction.
    const opposite = `${to[row]} ${from[row]}`;
    const waiting = isBidirectional[row] === 1 ? 0 : (oneWay.get(opposite) ?? 0);
    if (waiting > 0) {
      oneWay.set(opposite, waiting - 1);
      continue;
    }
    if (isBidirectional[row] === 0) {
      const own = `${from[row]} ${to[row]}`;
      oneWay.set(own, (oneWay.get(own) ?? 0) + 1);
    }
    add(a, b);
    add(b, a);
  }
  return lifts;
}

/**
 * How many lifts must fail to cut off a group from all entrances: by Menger's theorem, the number of paths that share
 * no lift, found one after the other (Ford and Fulkerson).
 */
function countCut(lifts: Lifts, from: number, entrances: ReadonlySet<number>): number {
  const left = new Map([...lifts].map(([group, others]) => [group, new Map(others)]));
  let count = 0;
  while (count < NO_LIFT - 1 && takeWay(left, from, entrances)) count++;
  return count;
}

function takeWay(left: Map<number, Map<number, number>>, from: number, entrances: ReadonlySet<number>): boolean {
  const before = new Map<number, number>([[from, from]]);
  for (const group of before.keys()) {
    if (entrances.has(group)) {
      for (let at = group; at !== from; at = before.get(at)!) {
        const last = before.get(at)!;
        left.get(last)!.set(at, left.get(last)!.get(at)! - 1);
        left.get(at)!.set(last, (left.get(at)!.get(last) ?? 0) + 1);
      }
      return true;
    }
    for (const [next, count] of left.get(group) ?? []) if (count > 0 && !before.has(next)) before.set(next, group);
  }
  return false;
}
