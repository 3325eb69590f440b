import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, test } from 'vitest';
import { readSiteAssets } from '../../api/site/shell/assets.ts';
import { saveMeasurements } from './save-measurements.ts';

const FIRST_PAGE_BYTES = 150_000;
/** The map library does not count: the script loads it separately when it draws a map. */
const PAGE_BYTES = 350_000;

describe.skipIf(inject('site') === null)('gzipped scripts of pages', () => {
  test('are small, and smallest on the start page', async () => {
    const { folder, entries } = await readSiteAssets();
    const sizeOf = async (file: string) => gzipSync(await readFile(path.join(folder!, file))).length;
    const sizes = new Map<string, number>();
    for (const [name, { script, imports }] of Object.entries(entries)) {
      const files = new Set([entries.shell!.script, script, ...imports]);
      const each = await Promise.all([...files].map(sizeOf));
      sizes.set(
        name,
        each.reduce((sum, size) => sum + size, 0),
      );
    }
    await saveMeasurements(
      'sizes',
      [...sizes].map(([name, bytes]) => `${name}: ${(bytes / 1000).toFixed(1)} kB`),
    );
    expect(sizes.get('start')).toBeLessThan(FIRST_PAGE_BYTES);
    for (const [name, bytes] of sizes) expect([name, bytes < PAGE_BYTES]).toEqual([name, true]);
  });
});
