import { expect, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { at, sayInTown } from '../engine/live-town.ts';
import { openService } from '../service-app.ts';

async function openTown() {
  const world = await sayInTown([], { said: '08:00', now: '08:00' });
  return openService(world, { clock: fixedClock(at('08:00')) });
}

test('pages get the answers of the contract under an address of their own', async () => {
  const app = await openTown();
  for (const path of ['/stops?query=kirche', '/stops/s%3Ak/departures?limit=3', '/stops/s%3Ak/arrivals']) {
    const own = await app.inject({ url: `/site/data${path}` });
    const published = await app.inject({ url: `/v2${path}` });
    expect([path, own.statusCode, own.json()]).toEqual([path, published.statusCode, published.json()]);
  }
});

test('they are tagged, for this origin alone, and refused as all others are', async () => {
  const app = await openTown();
  const url = '/site/data/stops?query=kirche';
  const first = await app.inject({ url, headers: { origin: 'http://localhost' } });
  expect(first.statusCode).toBe(200);
  expect(Object.keys(first.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  const again = await app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } });
  expect(again.statusCode).toBe(304);
  expect((await app.inject({ url: '/site/data/stops' })).json().code).toBe('invalid_parameter');
  expect((await app.inject({ url: '/site/data/stops/none/departures' })).json().code).toBe('unknown_stop');
  expect((await app.inject({ method: 'DELETE', url })).json().code).toBe('method_not_allowed');
});

test('none of them is in the published contract', async () => {
  const app = await openTown();
  const document = (await app.inject({ url: '/openapi.json' })).body;
  expect(document).not.toContain('/site/data');
});
