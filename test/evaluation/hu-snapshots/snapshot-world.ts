import { buildDatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { buildSnapshotTable, type SnapshotTable } from './snapshot-table.ts';

export const FIRST_DAY = 20_000;

interface SnapshotWorldSize {
  readonly days: number;
  readonly trains: number;
  readonly calls: number;
}

/** What is reported after a instant is replaced by nonsense. */
interface Poison {
  readonly after: number;
  readonly seed: number;
}

interface ReportedRow {
  readonly at: number;
  readonly datedTrip: number;
  readonly call: number;
  readonly arrival: number;
  readonly departure: number;
}

/** A made-up railway under observation: the same for the same seed, apart from what is poisoned. */
export function makeSnapshotTable(seed: number, size: SnapshotWorldSize, poison?: Poison): SnapshotTable {
  const random = seededRandom(seed);
  const calls: { datedTrip: number; day: number; train: number; stop: number; planned: number; delay: number }[] = [];
  const reported: ReportedRow[] = [];
  const seen: { datedTrip: number; at: number; delay: number }[] = [];
  let datedTrip = 0;
  for (let day = FIRST_DAY; day < FIRST_DAY + size.days; day++) {
    for (let train = 0; train < size.trains; train++) {
      if (random() < 0.15) continue;
      const first = calls.length;
      let planned = day * 86_400 + 5 * 3600 + train * 3000;
      let delay = random() < 0.4 ? Math.floor(random() * 12) * 60 : 0;
      for (let call = 0; call < size.calls; call++) {
        calls.push({ datedTrip, day, train, stop: (train % 2) * 30 + call, planned, delay });
        planned += 420 + 60 * ((train + call) % 3);
        // Each train has a place at which it is late as a rule.
        delay = Math.max(0, delay + (call === train % size.calls ? 180 : 0) + Math.floor((random() - 0.5) * 5) * 60);
      }
      const own = calls.slice(first);
      const start = own[0]!.planned - 300;
      for (let at = start + Math.floor(random() * 600); at < planned + 2400; at += 400 + Math.floor(random() * 400)) {
        const lost = random() < 0.2 ? 2 : 0;
        own.forEach((call, place) => {
          if (place < lost) return;
          const isReached = call.planned + call.delay + 60 <= at;
          const departure = isReached && call.planned + call.delay + 120 <= at ? call.delay : 0;
          reported.push({ at, datedTrip, call: first + place, arrival: isReached ? call.delay : 0, departure });
        });
        const here = own.findLast((call) => call.planned + call.delay <= at - 30);
        if (here) seen.push({ datedTrip, at: at - 30, delay: here.delay + Math.floor(random() * 2) * 60 });
      }
      datedTrip++;
    }
  }
  const [rows, positions] = poison ? spoil(reported, seen, poison) : [reported, seen];
  return build(calls, rows, positions, datedTrip);
}

/** Later rows roundForecast something else, or are gone; later positions too. Every poll keeps its last row. */
function spoil<Seen extends { at: number; delay: number }>(
  reported: ReportedRow[],
  seen: Seen[],
  poison: Poison,
): [ReportedRow[], Seen[]] {
  const random = seededRandom(poison.seed);
  const nonsense = () => Math.floor(random() * 30 - 5) * 60;
  const rows = reported.flatMap((row, place) => {
    if (row.at <= poison.after) return [row];
    const isLast = reported[place + 1]?.at !== row.at || reported[place + 1]?.datedTrip !== row.datedTrip;
    return !isLast && random() < 0.2 ? [] : [{ ...row, arrival: nonsense(), departure: nonsense() }];
  });
  return [rows, seen.map((one) => (one.at <= poison.after ? one : { ...one, delay: nonsense() }))];
}

function build(
  calls: { datedTrip: number; day: number; train: number; stop: number; planned: number; delay: number }[],
  reported: ReportedRow[],
  seen: { datedTrip: number; at: number; delay: number }[],
  datedTripCount: number,
): SnapshotTable {
  const none = new Int32Array(calls.length);
  const unknown = new Float64Array(calls.length).fill(Number.NaN);
  const planned = Float64Array.from(calls, (call) => call.planned);
  const datedTrips = buildDatedTripTable({
    datedTrip: Int32Array.from(calls, (call) => call.datedTrip),
    serviceDay: Int32Array.from(calls, (call) => call.day),
    train: Int32Array.from(calls, (call) => call.train),
    route: none,
    operator: none,
    stop: Int32Array.from(calls, (call) => call.stop),
    sequence: Int32Array.from(calls.keys()),
    scheduledArrival: planned,
    scheduledDeparture: planned,
    arrivalDelay: unknown,
    departureDelay: unknown,
    isInstant: new Uint8Array(calls.length),
  });
  const rows = [...reported].sort((one, other) => one.at - other.at || one.call - other.call);
  const start = new Int32Array(datedTripCount + 1);
  for (const { datedTrip } of seen) start[datedTrip + 1]!++;
  for (let datedTrip = 0; datedTrip < datedTripCount; datedTrip++) start[datedTrip + 1]! += start[datedTrip]!;
  const plan = {
    datedTrips,
    isTarget: Uint8Array.from(calls, ({ datedTrip }, call) => (calls[call - 1]?.datedTrip === datedTrip ? 1 : 0)),
    truth: Float64Array.from(calls, ({ delay }) => delay),
    positions: {
      start,
      seenAt: Float64Array.from(seen, ({ at }) => at),
      delay: Float64Array.from(seen, ({ delay }) => delay),
      latitude: new Float64Array(seen.length).fill(47.5),
      longitude: Float64Array.from(seen, ({ at }) => 19 + (at % 5000) / 5000),
    },
  };
  return buildSnapshotTable(plan, {
    polledAt: Float64Array.from(rows, ({ at }) => at),
    datedTrip: Int32Array.from(rows, ({ datedTrip }) => datedTrip),
    call: Int32Array.from(rows, ({ call }) => call),
    arrival: Float32Array.from(rows, ({ arrival }) => arrival),
    departure: Float32Array.from(rows, ({ departure }) => departure),
    hasArrival: Uint8Array.from(rows, ({ call }) => plan.isTarget[call]!),
  });
}
