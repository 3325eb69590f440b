import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArrowTable, writeArrowTable } from '../../../pipeline/effects/arrow-table.ts';
import { type FileFacts, TextColumn } from '../../../pipeline/model/column.ts';

let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-arrow-'));
});
afterAll(() => rm(folder, { recursive: true }));

const newFile = () => path.join(folder, `${files++}.arrow`);
const toTexts = (column: TextColumn) => Array.from({ length: column.length }, (_, i) => column.get(i));

const shape = {
  tiny: 'i8',
  bits: 'u8',
  small: 'i16',
  position: 'u16',
  rowNumber: 'i32',
  color: 'u32',
  key: 'u64',
  share: 'f32',
  lat: 'f64',
  stopName: 'text',
} as const;

it('round-trips every type, any text, any number of rows', async () => {
  const row = fc.record({
    tiny: fc.integer({ min: -128, max: 127 }),
    bits: fc.integer({ min: 0, max: 255 }),
    small: fc.integer({ min: -32_768, max: 32_767 }),
    position: fc.integer({ min: 0, max: 65_535 }),
    rowNumber: fc.integer(),
    color: fc.nat(),
    key: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    share: fc.float(),
    lat: fc.double(),
    stopName: fc.string({ unit: 'grapheme' }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      const columns = {
        tiny: Int8Array.from(rows, (one) => one.tiny),
        bits: Uint8Array.from(rows, (one) => one.bits),
        small: Int16Array.from(rows, (one) => one.small),
        position: Uint16Array.from(rows, (one) => one.position),
        rowNumber: Int32Array.from(rows, (one) => one.rowNumber),
        color: Uint32Array.from(rows, (one) => one.color),
        key: BigUint64Array.from(rows, (one) => one.key),
        share: Float32Array.from(rows, (one) => one.share),
        lat: Float64Array.from(rows, (one) => one.lat),
        stopName: TextColumn.from(rows.map((one) => one.stopName)),
      };
      const file = newFile();
      const { stopName, ...numbers } = await readArrowTable(file, shape, await writeArrowTable(file, shape, columns));
      expect(toTexts(stopName)).toEqual(rows.map((one) => one.stopName));
      const { stopName: _, ...expected } = columns;
      expect(numbers).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});

it('stores texts contiguously', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      // A lone surrogate is not a character, and is stored as the replacement character.
      expect(toTexts(TextColumn.from(texts))).toEqual(texts.map((text) => Buffer.from(text).toString()));
    }),
  );
});

it('names columns as SQL does, for every tool that opens the file', async () => {
  const file = newFile();
  await writeArrowTable(
    file,
    { stopName: 'text', lat: 'f64' },
    { stopName: TextColumn.from(['Graz']), lat: Float64Array.of(47) },
  );
  expect(
    tableFromIPC(await readFile(file))
      .toArray()
      .map(String),
  ).toEqual(['{"stop_name": "Graz", "lat": 47}']);
});

it('never overwrites', async () => {
  const file = newFile();
  await writeFile(file, 'mine');
  await expect(writeArrowTable(file, { day: 'i32' }, { day: Int32Array.of(1) })).rejects.toMatchObject({
    code: 'EEXIST',
  });
});

describe('rejects unexpected contents', () => {
  it.each<[reason: string, shape: Parameters<typeof readArrowTable>[1], message: RegExp]>([
    ['another column', { night: 'i32' }, /lacks the column night$/],
    ['another number', { day: 'f64' }, /day is no f64$/],
    ['a number instead of a text', { day: 'text' }, /day is not a text$/],
    ['a text instead of a number', { name: 'i32' }, /name is no i32$/],
  ])('%s', async (_reason, wanted, message) => {
    const file = newFile();
    const facts = await writeArrowTable(
      file,
      { day: 'i32', name: 'text' },
      { day: Int32Array.of(1), name: TextColumn.from(['Montag']) },
    );
    await expect(readArrowTable(file, wanted, facts)).rejects.toThrow(message);
  });

  it('rejects a file that was not published', async () => {
    const file = newFile();
    const facts = await writeArrowTable(file, { day: 'i32' }, { day: Int32Array.of(1) });
    const read = (known: FileFacts | undefined) => readArrowTable(file, { day: 'i32' }, known);
    await expect(read(facts)).resolves.toEqual({ day: Int32Array.of(1) });
    await expect(read({ ...facts, bytes: facts.bytes + 1 })).rejects.toThrow('was damaged');
    await expect(read(undefined)).rejects.toThrow('was damaged');
    const bytes = await readFile(file);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(file, bytes);
    await expect(read(facts)).rejects.toThrow('was damaged');
  });

  it('rejects columns of another type when writing', async () => {
    const wrong = { day: Float64Array.of(1) } as unknown as { day: Int32Array };
    await expect(writeArrowTable(newFile(), { day: 'i32' }, wrong)).rejects.toThrow('must be a Int32Array');
  });
});
