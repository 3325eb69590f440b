import { beforeAll, describe, expect, test } from 'vitest';
import type { VehicleSection } from '../../../../api/contract/site-map.ts';
import { fixedClock } from '../../../../pipeline/effects/clock.ts';
import { openWorld, type World } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { at, town, townTrip } from '../../engine/live-town.ts';
import { openService } from '../../service-app.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

const NOW = '08:15';
const EVERYWHERE = 'minLat=-60&minLon=-180&maxLat=75&maxLon=180&zoom=3';

async function getVehicles(vehicles: Parameters<typeof vehicleOf>[1][], query = EVERYWHERE): Promise<VehicleSection> {
  const live = await openLiveWorld(world, ['rt']);
  const late = reportOf(townTrip('t1'), { calls: [callOf(stopOf('z'), { arrival: timeOf(at('08:36')) })] });
  const listed = vehicles.map((over, i) => vehicleOf(String(i).padStart(5, '0'), over));
  live.report('rt', at(NOW), { trips: [late], vehicles: listed });
  const app = await openService(live.at(at(NOW)), { clock: fixedClock(at(NOW)) });
  const { statusCode, body } = await app.inject({ url: `/site/data/vehicles?${query}` });
  expect([query, statusCode]).toEqual([query, 200]);
  return JSON.parse(body) as VehicleSection;
}

const bus = { trip: townTrip('t1'), lat: 48.02, lon: 16.03, stop: stopOf('k') };
const tram = { trip: tripOf(null, { lineLabel: '2' }), lat: 48.2, lon: 16.2 };
const stray = { lat: 48.3, lon: 16.3 };

describe('the vehicles of a section', () => {
  test('are listed for a whole country, with their delay at the next reported call', async () => {
    const { vehicles, count } = await getVehicles([bus, tram, stray]);
    expect(count).toBe(3);
    expect(vehicles.map(({ line, product, delaySeconds }) => [line, product, delaySeconds])).toEqual([
      ['1', 'cityBus', expect.any(Number)],
      ['2', 'tram', null],
      [null, null, null],
    ]);
    expect(vehicles[0]!.delaySeconds).toBeGreaterThan(0);
  });

  test('are only those of the chosen products; unknown ones are other', async () => {
    for (const [products, lines] of [
      ['tram', ['2']],
      ['cityBus,tram', ['1', '2']],
      ['other', [null]],
      ['ship', []],
    ] as const) {
      const { vehicles, count } = await getVehicles([bus, tram, stray], `${EVERYWHERE}&products=${products}`);
      expect([products, vehicles.map(({ line }) => line), count]).toEqual([products, lines, lines.length]);
    }
  });

  test('are thinned out where they would cover one another, and counted', async () => {
    const crowd = Array.from({ length: 1600 }, () => ({ lat: 48.1, lon: 16.1 }));
    const { vehicles, count } = await getVehicles([...crowd, stray], EVERYWHERE.replace('zoom=3', 'zoom=12'));
    expect([vehicles.map(({ lat }) => lat), count]).toEqual([[48.1, 48.3], 1601]);
  });

  test.each(['', 'minLat=47&minLon=15&maxLat=48&maxLon=16', `${EVERYWHERE}&products=rail`])(
    'refuses "%s"',
    async (query) => {
      const app = await openService(world, { clock: fixedClock(at(NOW)) });
      expect((await app.inject({ url: `/site/data/vehicles?${query}` })).statusCode).toBe(400);
    },
  );
});
