import { emptyUpdate, type SourceUpdate } from '../../model/realtime.ts';
import type { SharedVehicle } from '../../model/sharing.ts';
import { findText, type JsonObject } from '../json-answer.ts';
import {
  type Envelope,
  listObjects,
  type ReadContext,
  type ReportProblem,
  readFlag,
  readPosition,
  readRentalUrl,
} from './read-envelope.ts';

/** More than any system in the country has; each vehicle is written to every snapshot. */
const MAX_VEHICLES = 50_000;

/** Reads the vehicles outside of stations that can be rented: `free_bike_status` of version 2, `vehicle_status` of 3. */
export function parseVehicles({ data }: Envelope, { report }: ReadContext): SourceUpdate {
  const items = [...listObjects(data, 'vehicles'), ...listObjects(data, 'bikes')];
  const vehicles = new Map<string, SharedVehicle>();
  for (const [index, item] of items.entries()) {
    const id = item === null ? undefined : (findText(item, 'vehicle_id') ?? findText(item, 'bike_id'));
    if (item === null || id === undefined) report('bad_vehicle', String(index), 'without vehicle_id');
    else if (vehicles.has(id)) report('duplicate_vehicle', id, 'the first one counts');
    else if (vehicles.size >= MAX_VEHICLES) report('too_many_vehicles', id, `more than ${MAX_VEHICLES}`);
    else {
      const vehicle = readVehicle(item, id, report);
      if (vehicle !== null) vehicles.set(id, vehicle);
    }
  }
  return {
    ...emptyUpdate,
    sharing: { kind: 'vehicles', vehicles: [...vehicles.values()] },
    recordCount: items.length,
  };
}

function readVehicle(item: JsonObject, id: string, report: ReportProblem): SharedVehicle | null {
  // It is counted in the stock of its station.
  if (findText(item, 'station_id') !== undefined) return refuse('vehicle_at_station');
  if (readFlag(item, 'is_disabled') === true) return refuse('vehicle_disabled');
  if (readFlag(item, 'is_reserved') === true) return refuse('vehicle_reserved');
  if (findText(item, 'home_station_id') !== undefined) return refuse('vehicle_with_home_station');
  const position = readPosition(item);
  if (position === null) return refuse('no_coordinates');
  return { id, ...position, typeId: findText(item, 'vehicle_type_id') ?? null, rentalUrl: readRentalUrl(item) };

  function refuse(code: string): null {
    report(code, id, 'not offered');
    return null;
  }
}
