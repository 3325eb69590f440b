import { expect, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { at, reportInTown } from '../engine/live-town.ts';
import { ofBus, open as openLiveTown, refOf, SURE } from '../routes/prediction-town.ts';
import { openService } from '../service-app.ts';

async function openTown() {
  const world = await reportInTown([], { reportedAt: '08:00', now: '08:00' });
  return openService(world, { clock: fixedClock(at('08:00')) });
}

test('pages get responses of the contract under separate paths', async () => {
  const app = await openTown();
  for (const path of [
    '/stops?query=kirche',
    '/stops/at%3Ak/departures?limit=3',
    '/stops/at%3Ak/arrivals',
    '/stops/at%3Ak/info',
  ]) {
    const own = await app.inject({ url: `/site/data${path}` });
    const published = await app.inject({ url: `/v2${path}` });
    expect([path, own.statusCode, own.json()]).toEqual([path, published.statusCode, published.json()]);
  }
});

test('they are tagged, same-origin only, and refused like all others', async () => {
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

test('they are not in the published contract', async () => {
  const app = await openTown();
  const document = (await app.inject({ url: '/openapi.json' })).body;
  expect(document).not.toContain('/site/data');
});

test('a journey equals that of the contract, with the interval of each predicted arrival', async () => {
  const app = await openLiveTown({ forecasts: [ofBus({}, [[60, 90, 120], SURE, [0, 90, 300]])] });
  const url = `/site/data/journeys/${refOf('t1')}`;
  const { journey, forecasts } = (await app.inject({ url })).json();
  expect(journey).toEqual((await app.inject({ url: url.replace('/site/data', '/v2') })).json());
  expect(forecasts).toEqual([
    { position: 1, earliest: at('08:11'), median: at('08:11:30'), latest: at('08:12') },
    { position: 2, earliest: at('08:21'), median: at('08:21:30'), latest: at('08:22') },
    { position: 3, earliest: at('08:30'), median: at('08:31:30'), latest: at('08:35') },
  ]);
  const unforeseen = await app.inject({ url: `/site/data/journeys/${refOf('t2')}` });
  expect([unforeseen.statusCode, unforeseen.json().forecasts]).toEqual([200, []]);
  expect((await app.inject({ url: '/site/data/journeys/none' })).json().code).toBe('unknown_journey');
});
