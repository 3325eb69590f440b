import { buildDatedTripTable, type DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';

/** A simulated railway: some trains that run on several days, with delays that follow a pattern per train. */
interface RunWorldSize {
  readonly days: number;
  readonly trains: number;
  readonly calls: number;
  /** Share of events whose delay is unknown. */
  readonly unknown?: number;
  /** Share of events at contradictory times. */
  readonly odd?: number;
}

export const FIRST_DAY = 20_000;

/** The same table for the same seed. */
export function makeDatedTripTable(
  seed: number,
  { days, trains, calls, unknown = 0, odd = 0 }: RunWorldSize,
): DatedTripTable {
  const random = seededRandom(seed);
  const rows: number[][] = [];
  let datedTrip = 0;
  for (let day = 0; day < days; day++) {
    for (let train = 0; train < trains; train++) {
      // Some trains do not run on some days.
      if (random() < 0.2) continue;
      // Late trains run past midnight.
      let planned = (FIRST_DAY + day) * 86_400 + 14 * 3600 + train * 2400;
      let delay = random() < 0.3 ? Math.floor(random() * 900) : 0;
      const skipped = random() < 0.1 ? 1 + Math.floor(random() * (calls - 1)) : -1;
      for (let call = 0; call < calls; call++) {
        const arrival = planned;
        const departure = arrival + (call === 0 ? 0 : 60);
        planned = departure + 240 + 60 * ((train + call) % 3);
        delay = Math.max(0, delay + Math.floor((random() - 0.45) * 120));
        if (call === skipped) continue;
        const report = (value: number) =>
          random() < unknown ? Number.NaN : random() < odd ? value - Math.floor(random() * 1200) : value;
        const stop = ((train % 3) * 20 + call) % 40;
        rows.push([
          datedTrip,
          day,
          train,
          stop,
          call + 1,
          arrival,
          departure,
          report(delay),
          report(delay + 30),
          random(),
        ]);
      }
      datedTrip++;
    }
  }
  const ints = (place: number, add = 0) => Int32Array.from(rows, (row) => row[place]! + add);
  const floats = (place: number) => Float64Array.from(rows, (row) => row[place]!);
  return buildDatedTripTable({
    datedTrip: ints(0),
    serviceDay: ints(1, FIRST_DAY),
    train: ints(2),
    route: Int32Array.from(rows, (row) => row[2]! % 3),
    operator: Int32Array.from(rows, (row) => row[2]! % 2),
    stop: ints(3),
    sequence: ints(4),
    scheduledArrival: floats(5),
    scheduledDeparture: floats(6),
    arrivalDelay: floats(7),
    departureDelay: floats(8),
    isInstant: Uint8Array.from(rows, (row) => (row[9]! < 0.4 ? 1 : 0)),
  });
}

/** The same trips and schedule with other delays. */
export function withDelays(
  table: DatedTripTable,
  arrivalDelay: Float64Array,
  departureDelay: Float64Array,
): DatedTripTable {
  return {
    ...table,
    arrivalDelay,
    departureDelay,
    arrivalTime: table.scheduledArrival.map((planned, call) => planned + arrivalDelay[call]!),
    departureTime: table.scheduledDeparture.map((planned, call) => planned + departureDelay[call]!),
  };
}
