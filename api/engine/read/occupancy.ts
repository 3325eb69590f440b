import { occupancies } from '../../../pipeline/model/occupancy.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { RealtimeTables } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { TripView } from './dated-trip.ts';

/** Attributes by occupancy number, which starts at 1: `occupancy:fewSeatsAvailable`. */
const attributes = [null, ...occupancies.map((name) => `occupancy:${toLowerCamelCase(name)}`)];

function toLowerCamelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The occupancy of a vehicle at departure from one of its calls, as attributes.
 * @returns an empty list if it is unknown or too old
 */
export function listOccupancy(view: TripView, position: number, instant: Instant): string[] {
  const columns = getColumns(view);
  const row = view.firstLive + position;
  if (columns === null || instant > columns.expiresAt[row]!) return [];
  const attribute = attributes[columns.status[row]!];
  return attribute ? [attribute] : [];
}

/** Instant until which the attributes of a call are valid; Infinity if there are none. */
export function findOccupancyExpiry(view: TripView, position: number): number {
  const columns = getColumns(view);
  const row = view.firstLive + position;
  return columns === null || columns.status[row] === 0 ? Number.POSITIVE_INFINITY : columns.expiresAt[row]!;
}

/** @returns `null` if no source reports occupancies */
function getColumns({ published: { realtime }, trip, firstLive }: TripView): RealtimeTables['occupancies'] | null {
  if (!realtime || firstLive < 0) return null;
  const columns = trip < 0 ? realtime.tables.addedOccupancies : realtime.tables.occupancies;
  return columns.status.length === 0 ? null : columns;
}
