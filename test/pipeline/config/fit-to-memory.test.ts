import { expect, it } from 'vitest';
import { parseBytes } from '../../../pipeline/config/byte-units.ts';
import { fitToMemory } from '../../../pipeline/config/fit-to-memory.ts';
import { testConfig } from '../../jobs/fake-world.ts';

it.each([
  ['a small container', 1e9, '1500MB', null, '400MB', 1],
  ['two gigabytes', 2e9, '1500MB', null, '800MB', 1],
  ['four gigabytes', 4e9, '1500MB', null, '1500MB', 1],
  ['sixteen gigabytes', 16e9, '1500MB', null, '1500MB', 5],
  ['a configured limit that fits', 16e9, '4GiB', null, '4GiB', 2],
  ['a configured limit that does not fit', 4e9, '4GB', null, '1600MB', 1],
  ['a configured number', 1e9, '512MB', 3, '400MB', 3],
  ['almost none', 1, '1500MB', null, '1MB', 1],
])('%s of %d bytes', async (_what, bytes, wanted, wantedConcurrency, memoryLimit, concurrency) => {
  const config = await testConfig('/nowhere');
  const { ingest, schedule } = config;
  const configured = {
    ...config,
    ingest: { ...ingest, memoryLimit: wanted },
    schedule: { ...schedule, concurrency: wantedConcurrency },
  };
  const fitted = fitToMemory(configured, bytes);
  expect([fitted.ingest.memoryLimit, fitted.schedule.concurrency]).toEqual([memoryLimit, concurrency]);
  const { ingest: _ingest, schedule: _schedule, ...others } = fitted;
  expect(config).toMatchObject(others);
});

it.each([
  ['1KB', 1e3],
  ['1500MB', 1.5e9],
  ['0.5GB', 5e8],
  ['2GiB', 2 ** 31],
  ['1TiB', 2 ** 40],
])('%s are %d bytes', (size, bytes) => {
  expect(parseBytes(size)).toBe(bytes);
});
