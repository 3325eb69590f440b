import type { RealtimeTables } from '../snapshots/realtime-contract.ts';
import type { BuildSource, FindAdded } from './build-trips.ts';
import { nameDated, type VehicleMemory } from './memory.ts';
import type { Texts } from './texts.ts';

/** @see specification: no vehicle is shown that was seen longer ago */
const MAX_AGE_SECONDS = 8 * 60;

export interface VehicleWitness {
  readonly source: BuildSource;
  readonly vehicle: VehicleMemory;
}

/** The vehicles worth showing, by source, then id; of two that say they run the same trip only the one seen last. */
export function sortVehicles(vehicles: readonly VehicleWitness[], now: number): VehicleWitness[] {
  const recent = vehicles.filter(({ vehicle }) => now - vehicle.observedAt <= MAX_AGE_SECONDS);
  const newest = new Map<string, VehicleWitness>();
  for (const witness of recent) {
    const name = nameRun(witness);
    const known = newest.get(name);
    if (!known || compareAges(witness, known) < 0) newest.set(name, witness);
  }
  return [...newest.values()].sort(compareNames);
}

/** The one seen last first; of two seen at once always the same one. */
function compareAges(a: VehicleWitness, b: VehicleWitness): number {
  return b.vehicle.observedAt - a.vehicle.observedAt || compareNames(a, b);
}

function compareNames(a: VehicleWitness, b: VehicleWitness): number {
  return a.source.index - b.source.index || (a.vehicle.id < b.vehicle.id ? -1 : a.vehicle.id > b.vehicle.id ? 1 : 0);
}

/** A train of two units says its trip twice; a vehicle without a trip stands for itself. */
function nameRun({ source, vehicle }: VehicleWitness): string {
  if (vehicle.trip >= 0) return nameDated(vehicle.trip, vehicle.day);
  return `${source.index} ${vehicle.addedTrip ?? vehicle.id}`;
}

/** The table of vehicles, in the order given. */
export function buildVehicleTable(
  sorted: readonly VehicleWitness[],
  texts: Texts,
  findAdded: FindAdded,
): RealtimeTables['vehicles'] {
  const vehicles = sorted.map(({ vehicle }) => vehicle);
  const numbers = (read: (vehicle: VehicleMemory) => number) => Int32Array.from(vehicles, read);
  return {
    id: numbers(({ id }) => texts.row(id)),
    source: Uint8Array.from(sorted, ({ source }) => source.index),
    lat: Float64Array.from(vehicles, ({ lat }) => lat),
    lon: Float64Array.from(vehicles, ({ lon }) => lon),
    headingDeg: Int16Array.from(vehicles, ({ headingDeg }) => headingDeg ?? -1),
    observedAt: Uint32Array.from(vehicles, ({ observedAt }) => observedAt),
    trip: numbers(({ trip }) => trip),
    day: numbers(({ day }) => day),
    addedTrip: numbers(({ addedTrip }) => (addedTrip === null ? -1 : findAdded(addedTrip))),
    route: numbers(({ route }) => route),
    label: numbers(({ label }) => texts.row(label)),
    direction: numbers(({ direction }) => texts.row(direction)),
    position: Int16Array.from(vehicles, ({ position }) => position),
    isStopped: Uint8Array.from(vehicles, ({ isStopped }) => (isStopped ? 1 : 0)),
  };
}
