import { UnreadableAnswer } from '../../model/problem.ts';
import { emptyUpdate, type SourceUpdate } from '../../model/realtime.ts';
import type { SharedReturn, SharedVehicleType } from '../../model/sharing.ts';
import { findText, type JsonObject } from '../json-answer.ts';
import { type Envelope, listObjects, type ReadContext, readLocalised } from './read-envelope.ts';

/**
 * Reads the name of the system.
 * @throws UnreadableAnswer `foreign_format` without a name
 */
export function parseSystem({ data }: Envelope, { language }: ReadContext): SourceUpdate {
  const name = readLocalised(data, 'name', language);
  if (name === undefined) throw new UnreadableAnswer('foreign_format', 'system_information without a name');
  const url = findText(data, 'url');
  const address = url !== undefined && /^https?:/i.test(url) && URL.canParse(url) ? url : null;
  return { ...emptyUpdate, sharing: { kind: 'system', name, url: address }, recordCount: 1 };
}

/** Form factors that can use the streets of the mode `bike`. */
const BICYCLES: readonly (string | undefined)[] = ['bicycle', 'cargo_bicycle'];

const returns: Readonly<Record<string, SharedReturn>> = {
  free_floating: 'anywhere',
  hybrid: 'anywhere',
  any_station: 'stations',
  roundtrip_station: 'sameStation',
};

export function parseVehicleTypes({ data }: Envelope, { report }: ReadContext): SourceUpdate {
  const items = listObjects(data, 'vehicle_types');
  const types = new Map<string, SharedVehicleType>();
  for (const [index, item] of items.entries()) {
    const type = item && readType(item);
    if (type === null) report('bad_vehicle_type', String(index), 'without vehicle_type_id');
    else if (types.has(type.id)) report('duplicate_vehicle_type', String(index), type.id);
    else types.set(type.id, type);
  }
  return {
    ...emptyUpdate,
    sharing: { kind: 'vehicleTypes', types: [...types.values()] },
    recordCount: items.length,
  };
}

function readType(item: JsonObject): SharedVehicleType | null {
  const id = findText(item, 'vehicle_type_id');
  if (id === undefined) return null;
  const constraint = findText(item, 'return_constraint');
  const known = constraint !== undefined && Object.hasOwn(returns, constraint) ? returns[constraint]! : null;
  return { id, isBike: BICYCLES.includes(findText(item, 'form_factor')), returns: known };
}
