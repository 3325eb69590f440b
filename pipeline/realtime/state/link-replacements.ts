import type { RealtimeTables } from '../../snapshots/realtime-contract.ts';
import { tripFlags } from '../../snapshots/realtime-contract.ts';
import type { PlannedCalls } from './planned-calls.ts';

/** An additional trip that begins within this of a cancelled one replaces it. */
const MAX_APART_SECONDS = 15 * 60;

type LinkedTables = Pick<RealtimeTables, 'texts' | 'trips' | 'addedTrips' | 'addedCalls'>;

/** An additional trip, from its first call to its last one. */
interface Additional {
  readonly row: number;
  readonly stations: readonly number[];
  readonly times: readonly number[];
}

/**
 * Finds the additional trip that runs in the place of each cancelled one: publishers report a replaced train as a
 * cancelled and an extra one, without a link between them. Both are of the same line and
 * direction, and at the first station that both serve they leave within a quarter of an hour of each other. Each
 * additional trip replaces one trip at most, the nearest.
 * @returns by row of `trips`: row of `addedTrips`, or -1
 */
export function linkReplacements(tables: LinkedTables, planned: PlannedCalls): Int32Array {
  const { trips } = tables;
  const links = new Int32Array(trips.trip.length).fill(-1);
  const cancelled = trips.flags.reduce<number[]>((rows, flags, row) => {
    if ((flags & tripFlags.cancelled) !== 0) rows.push(row);
    return rows;
  }, []);
  if (cancelled.length === 0 || tables.addedTrips.key.length === 0) return links;
  const additional = indexByLabel(tables, planned);
  const pairs = cancelled.flatMap((row) =>
    (additional.get(labelOf(planned, trips.trip[row]!)) ?? []).flatMap((other) => {
      const apart = measureApart(planned, trips.trip[row]!, trips.day[row]!, other);
      return apart === null ? [] : { row, other: other.row, apart };
    }),
  );
  const taken = new Set<number>();
  for (const { row, other } of pairs.sort((a, b) => a.apart - b.apart || a.row - b.row || a.other - b.other)) {
    if (links[row]! >= 0 || taken.has(other)) continue;
    links[row] = other;
    taken.add(other);
  }
  return links;
}

function labelOf({ tables: { trips, patterns, routes } }: PlannedCalls, trip: number): string {
  return routes.label.get(patterns.route[trips.pattern[trip]!]!);
}

/** The additional trips that run, by the label of their line. */
function indexByLabel({ texts, addedTrips, addedCalls }: LinkedTables, { tables }: PlannedCalls) {
  const byLabel = new Map<string, Additional[]>();
  for (let row = 0; row < addedTrips.key.length; row++) {
    const flags = addedTrips.flags[row]!;
    if ((flags & tripFlags.additional) === 0 || (flags & (tripFlags.cancelled | tripFlags.deleted)) !== 0) continue;
    const text = addedTrips.label[row]!;
    const label = text >= 0 ? texts.text.get(text) : '';
    if (label === '') continue;
    const rows = Array.from({ length: addedTrips.callCount[row]! }, (_, k) => addedTrips.firstCall[row]! + k);
    const stations = rows.map((call) =>
      addedCalls.stop[call]! < 0 ? -1 : tables.stops.station[addedCalls.stop[call]!]!,
    );
    const times = rows.map(
      (call) => addedCalls.scheduledDeparture[call]! || addedCalls.departure[call]! || addedCalls.arrival[call]!,
    );
    const known = byLabel.get(label) ?? [];
    known.push({ row, stations, times });
    byLabel.set(label, known);
  }
  return byLabel;
}

/**
 * Seconds between the two trips at the first station that both serve.
 * @returns null where they do not serve two stations in the same order, or are too far apart
 */
function measureApart(
  planned: PlannedCalls,
  trip: number,
  day: number,
  { stations, times }: Additional,
): number | null {
  const { station } = planned.tables.stops;
  const plan = planned.plan(trip, day);
  let first: number | null = null;
  let from = 0;
  for (let position = 0; position < plan.callCount; position++) {
    const at = stations.indexOf(station[planned.stop(trip, position)]!, from);
    if (at < 0) continue;
    if (first !== null) return first;
    first = Math.abs(times[at]! - plan.at(position, 'departure'));
    if (first > MAX_APART_SECONDS) return null;
    from = at + 1;
  }
  return null;
}
