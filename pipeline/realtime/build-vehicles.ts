import type { RealtimeTables } from '../snapshots/realtime-contract.ts';
import type { BuildSource } from './build-trips.ts';
import type { VehicleMemory } from './memory.ts';
import type { Texts } from './texts.ts';

/** @see specification: no vehicle is shown that was seen longer ago */
const MAX_AGE_SECONDS = 8 * 60;

export interface VehicleWitness {
  readonly source: BuildSource;
  readonly vehicle: VehicleMemory;
}

/** The vehicles worth showing, by source, then id; of two that say they run the same trip only the one seen last. */
export function sortVehicles(vehicles: readonly VehicleWitness[], now: number): VehicleWitness[] {
  const newest = new Map<string, VehicleWitness>();
  for (const witness of vehicles) {
    if (now - witness.vehicle.observedAt > MAX_AGE_SECONDS) continue;
    const run = nameRun(witness);
    const known = newest.get(run);
    if (!known || compareAges(witness, known) < 0) newest.set(run, witness);
  }
  return [...newest.values()].sort(compareNames);
}

/** The one seen last first; of two seen at once always the same one. */
function compareAges(a: VehicleWitness, b: VehicleWitness): number {
  return b.vehicle.observedAt - a.vehicle.observedAt || compareNames(a, b);
}

function compareNames(a: VehicleWitness, b: VehicleWitness): number {
  if (a.source.index !== b.source.index) return a.source.index - b.source.index;
  const [one, other] = [a.vehicle.report.id, b.vehicle.report.id];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A train of two units says its trip twice; a vehicle without a trip stands for itself. */
function nameRun({ source, vehicle: { report, place } }: VehicleWitness): string {
  if (place.trip >= 0) return `trip ${place.trip}.${place.day}`;
  return place.addedTrip === null ? `${source.index} ${report.id}` : `added ${place.addedTrip}`;
}

/** @param findAdded row of `addedTrips` by its name, or -1 */
export function buildVehicleTable(
  sorted: readonly VehicleWitness[],
  texts: Texts,
  findAdded: (name: string) => number,
): RealtimeTables['vehicles'] {
  const vehicles = sorted.map(({ vehicle }) => vehicle);
  const numbers = (read: (vehicle: VehicleMemory) => number) => Int32Array.from(vehicles, read);
  return {
    id: numbers(({ report }) => texts.row(report.id)),
    source: Uint8Array.from(sorted, ({ source }) => source.index),
    lat: Float64Array.from(vehicles, ({ report }) => report.lat),
    lon: Float64Array.from(vehicles, ({ report }) => report.lon),
    headingDeg: Int16Array.from(vehicles, ({ report }) => report.headingDeg ?? -1),
    observedAt: Uint32Array.from(vehicles, ({ observedAt }) => observedAt),
    trip: numbers(({ place }) => place.trip),
    day: numbers(({ place }) => place.day),
    addedTrip: numbers(({ place }) => (place.addedTrip === null ? -1 : findAdded(place.addedTrip))),
    route: numbers(({ place }) => place.route),
    label: numbers(({ report }) => texts.row(report.trip?.lineLabel ?? null)),
    direction: numbers(({ report }) => texts.row(report.trip?.headsign ?? null)),
    position: Int16Array.from(vehicles, ({ place }) => place.position),
    isStopped: Uint8Array.from(vehicles, ({ report }) => (report.stopStatus === 'stoppedAt' ? 1 : 0)),
  };
}
