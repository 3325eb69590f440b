import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { type Column, renderArrow, renderCsv } from '../../../api/history/render-columns.ts';
import { renderParquet } from '../../../api/history/render-parquet.ts';

const counts = [0, 1, 2 ** 32 - 1, 5_000_000_000, Number.MAX_SAFE_INTEGER];
const columns: readonly Column[] = [{ name: 'events', kind: 'count', values: counts }];

test('counts beyond 32 bits are exact in each format', async () => {
  const arrow = tableFromIPC(renderArrow(columns));
  expect(arrow.toArray().map((row) => row.toJSON().events)).toEqual(counts);
  expect(Buffer.from(renderCsv(columns)).toString()).toBe(`${['events', ...counts].join('\r\n')}\r\n`);
  const { buffer } = await renderParquet(columns, {});
  const rows = await parquetReadObjects({ file: buffer as ArrayBuffer });
  expect(rows.map(({ events }) => Number(events))).toEqual(counts);
});
