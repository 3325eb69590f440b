import type { SchemaElement } from 'hyparquet';
import type { Column, ColumnKind } from './render-columns.ts';

type Element = Omit<SchemaElement, 'name' | 'repetition_type'>;

const WHOLE: Element = { type: 'INT64' };
const elements: Readonly<Record<ColumnKind, Element>> = {
  day: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  count: WHOLE,
  small: WHOLE,
  whole: WHOLE,
  number: { type: 'DOUBLE' },
};

/**
 * A Parquet file of few rows, written in memory.
 * @param facts key-value metadata of the file
 */
export async function renderParquet(
  columns: readonly Column[],
  facts: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  // Imported on demand, because it loads 51 modules that the service does not need in order to start.
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...elements[kind] })),
  ];
  const bytes = parquetWriteBuffer({
    schema,
    columnData: columns.map(({ name, kind, values }) => ({ name, data: values.map((value) => toStored(kind, value)) })),
    kvMetadata: Object.entries(facts).map(([key, value]) => ({ key, value })),
  });
  return new Uint8Array(bytes);
}

function toStored(kind: ColumnKind, value: string | number | null): unknown {
  if (value === null) return null;
  if (kind === 'day' || kind === 'instant') return new Date(value);
  return elements[kind] === WHOLE ? BigInt(value) : value;
}
