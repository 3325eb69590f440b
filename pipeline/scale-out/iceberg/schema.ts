import { type IcebergColumnType, parseColumnType } from './column-type.ts';
import {
  type IcebergField,
  type IcebergPrimitive,
  type IcebergSchema,
  type IcebergType,
  isReadableAs,
} from './iceberg-types.ts';

/** Columns of a table of the lake: DuckDB's type and one sentence each. */
export type LakeColumns = Readonly<Record<string, readonly [type: string, about: string]>>;

interface SchemaHistory {
  /** All schemas that the table has had. */
  readonly schemas: readonly IcebergSchema[];
  /** The highest id that was ever given to a column. */
  readonly lastColumnId: number;
}

/** Name of the elements of a list, in Parquet and in name mappings. */
const ELEMENT = 'element';

/**
 * The schema of a table with these columns. A column keeps its id for as long as its values stay readable, also over a
 * time without it; any other column gets an id that no column has had.
 * @returns the schema, with the id of an equal one, else the next; and the highest id given
 * @throws RangeError for a type that the table format does not have
 */
export function evolveSchema(
  columns: LakeColumns,
  { schemas, lastColumnId }: SchemaHistory,
): { readonly schema: IcebergSchema; readonly lastColumnId: number } {
  const known = new Map(schemas.flatMap((schema) => listPlaces(schema.fields)).map((place) => [place.path, place]));
  let last = lastColumnId;
  const identify = (path: string, type: IcebergColumnType) => {
    const before = known.get(path);
    if (before && isStillReadable(before.type, type)) return before.id;
    last += 1;
    return last;
  };
  // Ids of the columns before those of their parts, as other writers number them.
  const tops = Object.entries(columns).map(([name, [text, doc]]) => {
    const type = parseColumnType(text);
    return { id: identify(name, type), name, doc, type };
  });
  const fields = tops.map(({ id, name, doc, type }): IcebergField => {
    return { id, name, required: false, type: identifyParts(type, name, identify), doc };
  });
  const same = schemas.find((schema) => JSON.stringify(schema.fields) === JSON.stringify(fields));
  const nextId = Math.max(-1, ...schemas.map((schema) => schema['schema-id'])) + 1;
  return { schema: { type: 'struct', 'schema-id': same?.['schema-id'] ?? nextId, fields }, lastColumnId: last };
}

type Identify = (path: string, type: IcebergColumnType) => number;

function identifyParts(type: IcebergColumnType, path: string, identify: Identify): IcebergType {
  if (typeof type === 'string') return type;
  if ('element' in type) {
    const at = `${path}.${ELEMENT}`;
    const id = identify(at, type.element);
    const element = identifyParts(type.element, at, identify);
    return { type: 'list', 'element-id': id, element, 'element-required': false };
  }
  const numbered = Object.entries(type.fields).map(([name, part]) => {
    return { id: identify(`${path}.${name}`, part), name, part };
  });
  const fields = numbered.map(({ id, name, part }): IcebergField => {
    return { id, name, required: false, type: identifyParts(part, `${path}.${name}`, identify) };
  });
  return { type: 'struct', fields };
}

function isStillReadable(before: IcebergType, now: IcebergColumnType): boolean {
  if (typeof before === 'string') return typeof now === 'string' && isReadableAs(before, now);
  return typeof now === 'object' && (before.type === 'list' ? 'element' in now : 'fields' in now);
}

// ---- Places ------------------------------------------------------------------------------------

/** A column, or a part of one. */
interface Place {
  /** e.g. `delay_histogram.element.events` */
  readonly path: string;
  readonly id: number;
  readonly type: IcebergType;
}

function listPlaces(fields: readonly IcebergField[], within = ''): Place[] {
  return fields.flatMap(({ id, name, type }) => listPlacesOf({ path: `${within}${name}`, id, type }));
}

function listPlacesOf(place: Place): Place[] {
  const { path, type } = place;
  if (typeof type === 'string') return [place];
  if (type.type === 'struct') return [place, ...listPlaces(type.fields, `${path}.`)];
  return [place, ...listPlacesOf({ path: `${path}.${ELEMENT}`, id: type['element-id'], type: type.element })];
}

/** A column, or a part of one, that holds values. */
export interface SchemaLeaf {
  readonly id: number;
  readonly type: IcebergPrimitive;
}

/** The leaves of a schema by their paths, e.g. `delay_histogram.element.events`. */
export function listLeaves({ fields }: IcebergSchema): ReadonlyMap<string, SchemaLeaf> {
  const leaves = new Map<string, SchemaLeaf>();
  for (const { path, id, type } of listPlaces(fields)) {
    if (typeof type === 'string') leaves.set(path, { id, type });
  }
  return leaves;
}

/** @throws RangeError when the schema has no such column */
export function getField({ fields }: IcebergSchema, name: string): IcebergField {
  const field = fields.find((one) => one.name === name);
  if (field) return field;
  throw new RangeError(`the table has no column ${name}`);
}

// ---- Name mapping ------------------------------------------------------------------------------

interface MappedField {
  readonly 'field-id': number;
  readonly names: readonly [string];
  readonly fields?: readonly MappedField[];
}

/**
 * The property `schema.name-mapping.default`: ids of columns by their names, for Parquet files that hold names alone, as
 * those of the lake do. Dropped columns stay in it, for readers of snapshots that have them; where a name has had several
 * ids, it is that of the present column, else of the last one.
 * @param schemas all those of the table, oldest first
 */
export function mapNames({ fields }: IcebergSchema, schemas: readonly IcebergSchema[] = []): string {
  const former = schemas.map((schema) => schema.fields.map(mapField)).reverse();
  return JSON.stringify(former.reduce(mergeNames, fields.map(mapField)));
}

function mergeNames(present: readonly MappedField[], former: readonly MappedField[]): MappedField[] {
  const formerOf = new Map(former.map((field) => [field.names[0], field]));
  const merged = present.map((field) => {
    const same = formerOf.get(field.names[0]);
    formerOf.delete(field.names[0]);
    const isSame = same?.['field-id'] === field['field-id'];
    return isSame && same?.fields ? { ...field, fields: mergeNames(field.fields ?? [], same.fields) } : field;
  });
  return [...merged, ...formerOf.values()];
}

function mapField({ id, name, type }: Pick<IcebergField, 'id' | 'name' | 'type'>): MappedField {
  const parts = typeof type === 'string' ? [] : listParts(type).map(mapField);
  return { 'field-id': id, names: [name], ...(parts.length > 0 ? { fields: parts } : {}) };
}

function listParts(type: Exclude<IcebergType, string>): readonly Pick<IcebergField, 'id' | 'name' | 'type'>[] {
  return type.type === 'struct' ? type.fields : [{ id: type['element-id'], name: ELEMENT, type: type.element }];
}
