import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWalkRouter } from '../../../pipeline/streets/open-walk-router.ts';
import { streetsManifestFile } from '../../../pipeline/streets/published-streets.ts';
import type { StreetVehicle, VehicleRouter } from '../../../pipeline/streets/vehicle-router.ts';
import type { Tags } from '../../support/worlds/osm-pbf.ts';
import { at, build, hasEngine, makeFolder, type SpotName, spot, writeTown } from './made-up-town.ts';

let folder: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ folder, remove } = await makeFolder());
});
afterEach(() => remove());

const bike: StreetVehicle = { mode: 'bike', speedKmh: 16 };
const car: StreetVehicle = { mode: 'car' };

async function open(changes: Tags = {}): Promise<VehicleRouter> {
  const pbf = path.join(folder, 'town.osm.pbf');
  await writeTown(pbf, changes);
  await build({ pbf, dataDir: folder });
  return (await openWalkRouter(folder))!.vehicles!;
}

describe.runIf(hasEngine)('ways by bicycle and car', () => {
  it('follow streets that the vehicle may use, one-way where they are', async () => {
    const vehicles = await open({ oneway: 'yes' });
    const places: SpotName[] = ['east', 'station', 'chapel'];
    const meters = async (vehicle: StreetVehicle, direction: 'from' | 'to') =>
      (await vehicles.measure(vehicle, direction, spot('west'), places.map(spot))).map((way) => way?.meters);
    for (const vehicle of [bike, car]) {
      // The footway and the stairs are not for vehicles: the way to the chapel is by Schulgasse.
      expect(await meters(vehicle, 'from')).toEqual([400, 700, 500]);
      // Against the one-way street it is around the block.
      expect(await meters(vehicle, 'to')).toEqual([1000, 700, 500]);
    }
  });

  it('take as long as the speed requires, and are drawn as long as they are measured', async () => {
    const vehicles = await open();
    const [slow, fast] = await Promise.all(
      [10, 20].map(async (speedKmh) => {
        const [way] = await vehicles.measure({ mode: 'bike', speedKmh }, 'from', spot('west'), [spot('station')]);
        return way!;
      }),
    );
    expect(slow!.meters).toBe(fast!.meters);
    expect(slow!.seconds / fast!.seconds).toBeGreaterThan(1.6);
    for (const vehicle of [bike, car]) {
      const [way] = await vehicles.measure(vehicle, 'from', spot('west'), [spot('station')]);
      const drawn = (await vehicles.findPath(vehicle, spot('west'), spot('station'), 'de'))!;
      expect(Math.abs(drawn.distanceMeters - way!.meters)).toBeLessThan(5);
      expect(Math.abs(drawn.durationSeconds - way!.seconds)).toBeLessThan(10);
      expect(drawn.points.length).toBeGreaterThan(2);
      expect(drawn.steps[0]!.maneuver).toBe('start');
      expect(drawn.steps.at(-1)!.maneuver).toMatch(/^destination/);
    }
  });

  it('end where no street of the mode is near', async () => {
    const vehicles = await open();
    const others = [at(200, 30), spot('bankWest'), at(200, 5000)];
    const [near, across, far] = await vehicles.measure(bike, 'from', spot('west'), others);
    // 30 m off the street: on foot.
    expect(near!.meters).toBe(230);
    expect([across, far]).toEqual([null, null]);
    expect(await vehicles.measure(bike, 'to', at(200, 5000), [spot('west')])).toEqual([null]);
    expect(await vehicles.findPath(car, spot('west'), spot('bankWest'), 'de')).toBe(null);
    expect(await vehicles.findPath(car, spot('west'), at(200, 5000), 'de')).toBe(null);
  });
});

describe.runIf(hasEngine)('a graph', () => {
  const openModes = async () => (await openWalkRouter(folder))?.vehicles?.modes;

  it('has the modes that it was built for', async () => {
    const pbf = path.join(folder, 'town.osm.pbf');
    await writeTown(pbf);
    const whole = await build({ pbf, dataDir: folder });
    expect(await openModes()).toEqual(['bike', 'car']);
    const partial = await build({ pbf, dataDir: folder, modes: ['walk', 'bike'] });
    expect(partial.manifest.id).not.toBe(whole.manifest.id);
    expect(await openModes()).toEqual(['bike']);
    await build({ pbf, dataDir: folder, modes: ['walk'] });
    expect(await openModes()).toBe(undefined);
  });

  it('of the former version is for walking', async () => {
    const pbf = path.join(folder, 'town.osm.pbf');
    await writeTown(pbf);
    const { manifest } = await build({ pbf, dataDir: folder, modes: ['walk'] });
    const { modes, ...former } = manifest;
    await writeFile(streetsManifestFile(folder, manifest.id), JSON.stringify({ ...former, rulesVersion: 1 }));
    const walks = (await openWalkRouter(folder))!;
    expect([modes, walks.id, walks.vehicles]).toEqual([['walk'], manifest.id, undefined]);
    expect(await walks.measure(spot('west'), [spot('east')], 'foot', 1000)).toEqual([400]);
  });

  it('has its car parks, if it has cars', async () => {
    const pbf = path.join(folder, 'town.osm.pbf');
    await writeTown(pbf, {}, { amenity: 'parking', park_ride: 'yes' });
    await build({ pbf, dataDir: folder });
    const { parkAndRide } = (await openWalkRouter(folder))!.vehicles!;
    expect(parkAndRide).toHaveLength(1);
    expect(parkAndRide[0]!.lat).toBeCloseTo(spot('gate').lat, 6);
    const { manifest } = await build({ pbf, dataDir: folder, modes: ['walk', 'bike'] });
    expect((await openWalkRouter(folder))!.vehicles!.parkAndRide).toEqual([]);
    expect(JSON.parse(await readFile(streetsManifestFile(folder, manifest.id), 'utf8'))).toMatchObject({
      modes: ['walk', 'bike'],
    });
  });
});
