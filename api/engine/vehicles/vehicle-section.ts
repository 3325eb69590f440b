import type { Product } from '../../../pipeline/model/product.ts';
import { formatUtc } from '../../../pipeline/model/service-time.ts';
import { createTripEvents } from '../../../pipeline/snapshots/settle-times.ts';
import type { MapSectionVehicle, VehicleSection } from '../../contract/site-map.ts';
import { openTrip } from '../read/dated-trip.ts';
import { readTripEvents } from '../read/event-times.ts';
import type { Section } from '../read/section.ts';
import { findVehicleProduct, listVehicleRows, presentVehicle, type VehicleContext } from './vehicles.ts';

interface VehicleSectionQuery {
  readonly section: Section;
  readonly zoom: number;
  /** null: all. */
  readonly chosen: readonly Product[] | null;
}

/** The answer stays below 300 kB. */
const MAX_VEHICLES = 1500;
/** Vehicles this near to each other cover one another; 512 pixels are the world at zoom 0. */
const CELL_PIXELS = 8;
const WORLD_PIXELS = 512;

/** Vehicles of a section of any size; where they are too many, one of those that cover one another. */
export function findVehicleSection(context: VehicleContext, query: VehicleSectionQuery): VehicleSection {
  const { published } = context;
  const { section, zoom, chosen } = query;
  const all = listVehicleRows(context, { box: section, limit: Number.POSITIVE_INFINITY });
  const rows = chosen
    ? all.filter((row) => chosen.includes(findVehicleProduct(published, published.realtime!, row)))
    : all;
  const shown = rows.length > MAX_VEHICLES ? thinOut(context, rows, zoom).slice(0, MAX_VEHICLES) : rows;
  const findDelay = openDelays(context);
  return { vehicles: shown.map((row) => present(context, row, findDelay(row))), count: rows.length };
}

/** The first vehicle of each cell of a grid. */
function thinOut({ published }: VehicleContext, rows: readonly number[], zoom: number): number[] {
  const { lat, lon } = published.realtime!.tables.vehicles;
  const cellDegrees = (CELL_PIXELS * 360) / (WORLD_PIXELS * 2 ** zoom);
  const taken = new Set<string>();
  return rows.filter((row) => {
    const scale = Math.max(0.1, Math.cos((lat[row]! * Math.PI) / 180));
    const cell = `${Math.floor(lon[row]! / cellDegrees)} ${Math.floor(lat[row]! / (cellDegrees * scale))}`;
    const isFirst = !taken.has(cell);
    taken.add(cell);
    return isFirst;
  });
}

/** @returns the delay of a vehicle at the first event ahead for which a source reports a time; null without one */
function openDelays({ published, instant }: VehicleContext): (row: number) => number | null {
  const events = createTripEvents();
  return (row) => {
    const { trip, addedTrip, day, position } = published.realtime!.tables.vehicles;
    if (trip[row]! < 0 && addedTrip[row]! < 0) return null;
    const view = openTrip(published, { trip: trip[row]!, addedTrip: addedTrip[row]!, day: day[row]! });
    if (view.firstLive < 0) return null;
    const { scheduled, time, isCancelled } = readTripEvents(view, instant, events);
    for (let event = Math.max(0, 2 * position[row]!); event < 2 * view.callCount; event++) {
      const isAhead = position[row]! >= 0 || time[event]! >= instant;
      if (isAhead && time[event] !== 0 && scheduled[event] !== 0 && !isCancelled[event])
        return time[event]! - scheduled[event]!;
    }
    return null;
  };
}

function present(context: VehicleContext, row: number, delaySeconds: number | null): MapSectionVehicle {
  const { id, journeyRef, line, direction, lat, lon, headingDeg, observedAt } = presentVehicle(context, row);
  return {
    id,
    jid: journeyRef,
    line: line?.label ?? null,
    product: line?.product ?? null,
    direction,
    lat,
    lon,
    headingDeg,
    observedAt: formatUtc(observedAt * 1000),
    colorHex: line?.colorHex ?? null,
    delaySeconds,
  };
}
