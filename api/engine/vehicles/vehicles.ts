import { type Product, products } from '../../../pipeline/model/product.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { VEHICLE_MAX_AGE_SECONDS } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { Line } from '../../contract/definitions.ts';
import { getLine, getTripDirection, openTrip } from '../read/dated-trip.ts';
import { presentCoord } from '../read/present.ts';
import { findText, type Published, type Realtime } from '../read/realtime.ts';
import type { JourneyName, References } from '../read/references.ts';
import { isInSection, type Section } from '../read/section.ts';

/** A vehicle, for both API versions. */
export interface LiveVehicle {
  readonly id: string;
  readonly journeyRef: string | null;
  readonly lat: number;
  readonly lon: number;
  readonly line: Line | null;
  readonly direction: string | null;
  readonly headingDeg: number | null;
  readonly observedAt: Instant;
}

export interface VehicleQuery {
  readonly box?: Section;
  readonly journeyRefs?: readonly string[];
  readonly limit: number;
}

export interface VehicleContext {
  readonly published: Published;
  readonly references: References;
  readonly instant: Instant;
}

/** Whether a position is recent enough to be shown, and its source not paused by ops. @param row of `vehicles` */
export function isVehicleShown({ manifest, tables }: Realtime, row: number, instant: Instant): boolean {
  const { observedAt, source } = tables.vehicles;
  return instant - observedAt[row]! <= VEHICLE_MAX_AGE_SECONDS && !manifest.sources[source[row]!]?.isStandby;
}

/** Rows of the vehicles that are shown, by `datedTripKey` of their trip of the timetable. */
export function locateVehicles(realtime: Realtime, instant: Instant): ReadonlyMap<string, number> {
  const { trip, day } = realtime.tables.vehicles;
  const rows = new Map<string, number>();
  for (let row = 0; row < trip.length; row++) {
    if (trip[row]! >= 0 && isVehicleShown(realtime, row, instant)) rows.set(datedTripKey(trip[row]!, day[row]!), row);
  }
  return rows;
}

/** Key of a dated trip by rows, within one pair of snapshots. */
export function datedTripKey(trip: number, day: number): string {
  return `${trip}.${day}`;
}

/** @returns row of the vehicle that reports a dated trip; -1 without one */
export function findVehicle(published: Published, realtime: Realtime, { tripKey, day }: JourneyName): number {
  for (let row = 0; row < realtime.tables.vehicles.id.length; row++) {
    const journey = nameJourney(published, realtime, row);
    if (journey?.tripKey === tripKey && journey.day === day) return row;
  }
  return -1;
}

/**
 * Vehicles with a position of the last eight minutes before `instant`, by source, then id. Unknown references match no
 * vehicle.
 */
export function listVehicles(context: VehicleContext, query: VehicleQuery): LiveVehicle[] {
  return listVehicleRows(context, query).map((row) => presentVehicle(context, row));
}

/** Rows of these vehicles. */
export function listVehicleRows(
  { published, references, instant }: VehicleContext,
  { box, journeyRefs, limit }: VehicleQuery,
): number[] {
  const { realtime } = published;
  if (!realtime) return [];
  const { vehicles } = realtime.tables;
  const wanted = journeyRefs ? readRefs(references, journeyRefs) : null;
  const found: number[] = [];
  for (let row = 0; row < vehicles.id.length && found.length < limit; row++) {
    if (box && !isInSection(box, vehicles.lat[row]!, vehicles.lon[row]!)) continue;
    if (!isVehicleShown(realtime, row, instant)) continue;
    const journey = nameJourney(published, realtime, row);
    if (wanted && !(journey && wanted.has(`${journey.tripKey}.${journey.day}`))) continue;
    found.push(row);
  }
  return found;
}

function readRefs(references: References, refs: readonly string[]): ReadonlySet<string> {
  return new Set(
    refs.flatMap((ref) => {
      const name = references.openJourney(ref);
      return name ? `${name.tripKey}.${name.day}` : [];
    }),
  );
}

/** The dated trip of a vehicle; null where it is unknown. @param row of `vehicles` */
export function nameJourney({ timetable }: Published, { tables }: Realtime, row: number): JourneyName | null {
  const { vehicles, addedTrips } = tables;
  const trip = vehicles.trip[row]!;
  if (trip >= 0) return { tripKey: timetable.tables.trips.key[trip]!, day: vehicles.day[row]! };
  const added = vehicles.addedTrip[row]!;
  return added < 0 ? null : { tripKey: addedTrips.key[added]!, day: addedTrips.day[added]! };
}

/** @param row of `vehicles` of a snapshot that exists */
export function presentVehicle({ published, references }: VehicleContext, row: number): LiveVehicle {
  const realtime = published.realtime!;
  const { vehicles } = realtime.tables;
  const journey = nameJourney(published, realtime, row);
  const heading = vehicles.headingDeg[row]!;
  return {
    id: `${realtime.manifest.sources[vehicles.source[row]!]?.id ?? ''}:${findText(realtime, vehicles.id[row]!)}`,
    journeyRef: journey ? references.sealJourney(journey) : null,
    ...presentCoord(vehicles.lat[row]!, vehicles.lon[row]!),
    ...describeRun(published, realtime, row),
    headingDeg: heading < 0 ? null : heading,
    observedAt: vehicles.observedAt[row]! as Instant,
  };
}

function describeRun(published: Published, realtime: Realtime, row: number): Pick<LiveVehicle, 'line' | 'direction'> {
  const { vehicles } = realtime.tables;
  const [trip, addedTrip, day] = [vehicles.trip[row]!, vehicles.addedTrip[row]!, vehicles.day[row]!];
  const sign = findText(realtime, vehicles.direction[row]!);
  if (trip >= 0 || addedTrip >= 0) {
    const run = openTrip(published, { trip, addedTrip, day });
    return { line: getLine(run), direction: sign ?? getTripDirection(run, Math.max(0, vehicles.position[row]!)) };
  }
  return { line: findLine(published, realtime, row), direction: sign };
}

/** Kind of a vehicle, `other` where it is unknown. @param row of `vehicles` */
export function findVehicleProduct(published: Published, realtime: Realtime, row: number): Product {
  const { trip, addedTrip, day } = realtime.tables.vehicles;
  if (trip[row]! < 0 && addedTrip[row]! < 0) return findLine(published, realtime, row)?.product ?? OTHER;
  return products[openTrip(published, { trip: trip[row]!, addedTrip: addedTrip[row]!, day: day[row]! }).product]!;
}

const OTHER = products.at(-1)!;

function findLine({ timetable }: Published, realtime: Realtime, row: number): Line | null {
  const { vehicles } = realtime.tables;
  if (vehicles.route[row]! >= 0) return timetable.lines.get(vehicles.route[row]!);
  const label = findText(realtime, vehicles.label[row]!);
  return label === null ? null : { label, name: label, product: OTHER };
}
