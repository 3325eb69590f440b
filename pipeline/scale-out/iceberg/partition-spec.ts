import type { IcebergPrimitive, IcebergSchema } from './iceberg-types.ts';
import { getField } from './schema.ts';

/** A column by which a table is partitioned: by its values, or by their months. */
export interface PartitionField {
  readonly column: string;
  readonly transform: 'identity' | 'month';
}

/**
 * Values of the partition fields of a file, in their order: texts as they are, dates in days since 1970, months in
 * months since January 1970.
 */
export type PartitionTuple = readonly (string | number)[];

/** As table metadata holds it. */
export interface PartitionSpec {
  readonly 'spec-id': number;
  readonly fields: readonly {
    readonly 'source-id': number;
    readonly 'field-id': number;
    readonly name: string;
    readonly transform: string;
  }[];
}

/** Ids of partition fields begin here, by the format. */
const FIRST_PARTITION_ID = 1000;

/** The spec of a new table. @throws RangeError when the schema lacks a column */
export function toPartitionSpec(fields: readonly PartitionField[], schema: IcebergSchema): PartitionSpec {
  return {
    'spec-id': 0,
    fields: fields.map(({ column, transform }, i) => ({
      'source-id': getField(schema, column).id,
      'field-id': FIRST_PARTITION_ID + i,
      name: transform === 'identity' ? column : `${column}_${transform}`,
      transform,
    })),
  };
}

/** The highest id of a partition field; one less than the first if there is none. */
export function lastPartitionId({ fields }: PartitionSpec): number {
  return Math.max(FIRST_PARTITION_ID - 1, ...fields.map((field) => field['field-id']));
}

/** A partition field with the type of its values. */
export interface TypedPartitionField {
  readonly id: number;
  readonly name: string;
  readonly type: IcebergPrimitive;
}

/** @throws RangeError for a field that none of our tables has */
export function typePartition(spec: PartitionSpec, schema: IcebergSchema): TypedPartitionField[] {
  return spec.fields.map(({ name, transform, 'field-id': id, 'source-id': source }) => {
    const type = schema.fields.find((field) => field.id === source)?.type;
    if (typeof type !== 'string') throw new RangeError(`the partition field ${name} is of no simple column`);
    return { id, name, type: transform === 'month' ? 'int' : type };
  });
}
