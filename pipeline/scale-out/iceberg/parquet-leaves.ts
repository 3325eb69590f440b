import type { SchemaElement } from 'hyparquet';
import type { IcebergPrimitive } from './iceberg-types.ts';

/** A column of a Parquet file, or a part of one, that holds values. */
export interface ParquetLeaf {
  /** As a name mapping spells it: without the inner group of a list, e.g. `hours.element.events`. */
  readonly path: string;
  /** Within a list: it has not one value per row. */
  readonly isRepeated: boolean;
  /** Null for a type that the table format does not have. */
  readonly type: IcebergPrimitive | null;
}

/** Lists the leaves of a Parquet schema in the order of their column chunks. */
export function listParquetLeaves(schema: readonly SchemaElement[]): ParquetLeaf[] {
  const leaves: ParquetLeaf[] = [];
  let at = 0;
  /** Walks one element and those below it; the elements follow each other depth first. */
  const walk = (within: readonly string[], isRepeated: boolean) => {
    const element = schema[at++]!;
    const isInList = isRepeated || element.repetition_type === 'REPEATED';
    // The repeated group of a list has no name in the table.
    const isUnnamed = element.repetition_type === 'REPEATED' && element.type === undefined;
    const path = isUnnamed ? within : [...within, element.name];
    if (element.type !== undefined) {
      leaves.push({ path: path.join('.'), isRepeated: isInList, type: typeOf(element) });
    }
    for (let i = 0; i < (element.num_children ?? 0); i++) walk(path, isInList);
  };
  const root = schema[at++];
  for (let i = 0; i < (root?.num_children ?? 0); i++) walk([], false);
  return leaves;
}

function typeOf({ type, converted_type: converted, logical_type: logical }: SchemaElement): IcebergPrimitive | null {
  switch (type) {
    case 'BOOLEAN':
      return 'boolean';
    case 'FLOAT':
      return 'float';
    case 'DOUBLE':
      return 'double';
    case 'BYTE_ARRAY':
      return converted === 'UTF8' || logical?.type === 'STRING' ? 'string' : null;
    case 'INT32':
      if (converted === 'DATE' || logical?.type === 'DATE') return 'date';
      return converted === undefined || /^U?INT_(8|16|32)$/.test(converted) ? 'int' : null;
    case 'INT64':
      if (logical?.type === 'TIMESTAMP') {
        if (logical.unit !== 'MICROS') return null;
        return logical.isAdjustedToUTC ? 'timestamptz' : 'timestamp';
      }
      return converted === undefined || converted === 'INT_64' ? 'long' : null;
    default:
      return null;
  }
}
