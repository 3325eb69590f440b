import { once } from 'node:events';
import avro from 'avsc';
import { expect, it } from 'vitest';
import type { DataFile } from '../../../../pipeline/scale-out/iceberg/data-file.ts';
import {
  ADDED,
  DELETED,
  decodeManifest,
  EXISTING,
  encodeManifest,
  type ManifestEntry,
} from '../../../../pipeline/scale-out/iceberg/manifest.ts';
import {
  decodeManifestList,
  encodeManifestList,
  summariseManifest,
} from '../../../../pipeline/scale-out/iceberg/manifest-list.ts';
import { toPartitionSpec } from '../../../../pipeline/scale-out/iceberg/partition-spec.ts';
import { evolveSchema } from '../../../../pipeline/scale-out/iceberg/schema.ts';
import { trips } from '../../../support/worlds/iceberg-table.ts';

const { schema } = evolveSchema(trips.columns, { schemas: [], lastColumnId: 0 });
const shape = { schema, spec: toPartitionSpec(trips.partitionBy, schema) };

const file: DataFile = {
  path: 'file:///lake/a.parquet',
  partition: ['city', 20_468],
  rows: 3,
  bytes: 4_000_000_000,
  columnBytes: new Map([[3, 100]]),
  valueCounts: new Map([[3, 3]]),
  nullCounts: new Map([[3, 0]]),
  lowerBounds: new Map([[3, Buffer.from('a')]]),
  upperBounds: new Map([[3, Buffer.from('z')]]),
  splitOffsets: [4, 2_000_000_000],
};
const entries: ManifestEntry[] = [
  { status: ADDED, snapshotId: 2 ** 48, sequenceNumber: null, file },
  { status: EXISTING, snapshotId: 7, sequenceNumber: 3, file: { ...file, partition: ['other', 20_500], rows: 5 } },
  { status: DELETED, snapshotId: 2 ** 48, sequenceNumber: 1, file: { ...file, partition: ['gone', 20_000] } },
];
const writing = { snapshotId: 2 ** 48, sequenceNumber: 9 };

it('a manifest round-trips', async () => {
  expect(await decodeManifest(await encodeManifest(shape, entries), shape)).toEqual(entries);
});

it('a list round-trips', async () => {
  const manifest = summariseManifest({ path: 'file:///m.avro', bytes: 10 }, entries, shape, writing);
  expect(manifest).toMatchObject({
    files: { added: 1, existing: 1, deleted: 1 },
    rows: { added: 3, existing: 5, deleted: 3 },
    sequenceNumber: 9,
    minSequenceNumber: 3,
  });
  expect(manifest.partitions[0]!.lower!.toString()).toBe('city');
  expect(manifest.partitions[1]!.upper!.readInt32LE()).toBe(20_500);
  const list = await encodeManifestList([manifest], { ...writing, parentId: null });
  expect(await decodeManifestList(list)).toEqual([manifest]);
});

/** The header of an Avro file: the metadata for its readers. */
async function readHeader(bytes: Buffer): Promise<Record<string, string>> {
  const decoder = new avro.streams.BlockDecoder();
  const metadata = once(decoder, 'metadata');
  decoder.resume();
  decoder.end(bytes);
  const [, , header] = (await metadata) as [unknown, unknown, { meta: Record<string, Buffer> }];
  return Object.fromEntries(Object.entries(header.meta).map(([name, value]) => [name, value.toString()]));
}

it('files contain the ids of their fields and the properties that the format requires', async () => {
  const { 'avro.schema': text, ...manifest } = await readHeader(await encodeManifest(shape, entries));
  expect(manifest).toMatchObject({
    'format-version': '2',
    content: 'data',
    'schema-id': '0',
    'partition-spec-id': '0',
  });
  expect(JSON.parse(manifest.schema!)).toEqual(schema);
  expect(JSON.parse(manifest['partition-spec']!)).toEqual(shape.spec.fields);
  expect(listIds(JSON.parse(text!))).toEqual([
    0, 1, 3, 4, 2, 134, 100, 101, 102, 1000, 1001, 103, 104, 108, 117, 118, 109, 119, 120, 110, 121, 122, 125, 126, 127,
    128, 129, 130, 132, 133, 140,
  ]);
  const list = await readHeader(await encodeManifestList([], { ...writing, parentId: 5 }));
  expect(list).toMatchObject({ 'snapshot-id': String(2 ** 48), 'parent-snapshot-id': '5', 'sequence-number': '9' });
  expect(listIds(JSON.parse(list['avro.schema']!))).toEqual([
    500, 501, 502, 517, 515, 516, 503, 504, 505, 506, 512, 513, 514, 507, 508, 509, 518, 510, 511,
  ]);
});

/** Ids of fields and elements in the order of a schema. */
function listIds(part: unknown): number[] {
  if (Array.isArray(part)) return part.flatMap(listIds);
  if (typeof part !== 'object' || part === null) return [];
  const { 'field-id': id, 'element-id': element, ...rest } = part as Record<string, unknown>;
  return [id, element]
    .filter((one) => typeof one === 'number')
    .concat(Object.values(rest).flatMap(listIds) as number[]);
}
