import type { FastifyInstance } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Stop, TripResult } from '../../../api/contract/definitions.ts';
import type { PlacesIndex } from '../../../api/engine/places/place-index.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import type { World } from '../../support/worlds/board-world.ts';
import { house, makePlaceIndex } from '../../support/worlds/made-up-places.ts';
import { openTripTown } from '../engine/trips/trip-town.ts';
import { openService } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';

const NOW = '2026-03-03T06:30:07Z';

const places = makePlaceIndex([
  house('Angergasse', '7', 'Ort', '2000', 48.0005, 16.0005),
  house('Zielgasse', '12', 'Ort', '2000', 48.0305, 16.0605),
  { lat: 48.0405, lon: 16.0405, tags: { railway: 'station', name: 'Ort Bahnhof', alt_name: 'Ostbahnhof' } },
  { lat: 48.02, lon: 16.02, tags: { amenity: 'cafe', name: 'Kirche' } },
  { lat: 48.02, lon: 16.03, tags: { place: 'village', name: 'Ort' } },
  { lat: 48.02, lon: 16.03, tags: { place: 'hamlet', name: 'Heide' } },
  { lat: 48.0201, lon: 16.0201, tags: { place: 'hamlet', name: 'Kirchdorf' } },
]);

let world: World;
beforeAll(async () => {
  world = await openTripTown();
});

const open = (index: PlacesIndex | null = places) =>
  openService(world, {
    clock: fixedClock(NOW),
    places: { current: () => (index === null ? null : { value: index, dataVersion: 'places-1' }) },
  });

async function search(app: FastifyInstance, query: string, more = ''): Promise<Stop[]> {
  const answer = await app.inject({ url: `/v2/stops?query=${encodeURIComponent(query)}${more}` });
  expect(answer.statusCode).toBe(200);
  await expectValidAnswer('StopList', answer.json());
  return (answer.json() as { stops: Stop[] }).stops;
}

async function plan(app: FastifyInstance, body: object): Promise<TripResult> {
  const answer = await app.inject({ method: 'POST', url: '/v2/trips', payload: body });
  expect(answer.statusCode).toBe(200);
  await expectValidAnswer('TripResult', answer.json());
  return answer.json() as TripResult;
}

describe('GET /v2/stops with an index of places', () => {
  it('answers stations, places and addresses, stations first of equal names', async () => {
    const app = await open();
    expect((await search(app, 'Zielgasse 12'))[0]).toEqual({
      id: 'place:na2',
      name: 'Zielgasse 12, 2000 Ort',
      coord: { lat: 48.0305, lon: 16.0605 },
      kind: 'address',
    });
    expect((await search(app, 'Kirche')).map(({ kind, name }) => [kind, name]).slice(0, 2)).toEqual([
      ['station', 'Kirche'],
      ['poi', 'Kirche, Ort'],
    ]);
    expect((await search(app, 'Heide')).map(({ kind }) => kind)).toEqual(['station', 'poi']);
    expect((await search(app, 'kirchd'))[0]).toMatchObject({ kind: 'poi', name: 'Kirchdorf, Ort' });
  });

  it('answers a station of the map as the station of the timetable, once', async () => {
    const found = await search(await open(), 'Ostbahnhof');
    expect(found.map(({ id }) => id)).toEqual(['at:s']);
    expect((await search(await open(), 'Bahnhof')).filter(({ id }) => id === 'at:s')).toHaveLength(1);
  });

  it('answers the kinds that are asked for', async () => {
    const app = await open();
    expect((await search(app, 'Kirche', '&kinds=poi')).map(({ kind }) => kind)).toEqual(['poi']);
    expect(await search(app, 'Kirche', '&kinds=address')).toEqual([]);
    expect((await search(app, 'Zielg', '&kinds=address,poi')).map(({ kind }) => kind)).toEqual(['address']);
  });

  it('names the index in its version and tag, and answers stops alone without one', async () => {
    const [app, without] = [await open(), await open(null)];
    const get = (one: FastifyInstance) => one.inject({ url: '/v2/stops?query=Kirche' });
    const [answer, other] = [await get(app), await get(without)];
    expect(answer.headers['data-version']).toBe(`${world.timetable.manifest.id}.places-1`);
    expect(other.headers['data-version']).toBe(world.timetable.manifest.id);
    expect(answer.headers.etag).not.toBe(other.headers.etag);
    expect((other.json() as { stops: Stop[] }).stops.map(({ kind }) => kind)).toEqual(['station']);
  });

  it('has no board of a place', async () => {
    const answer = await (await open()).inject({ url: '/v2/stops/place:na2/departures' });
    expectProblem(answer, 'unknown_stop');
  });
});

const TIME = '2026-03-03T07:30:00+01:00';

describe('GET /v2/stops/nearby with an index of places', () => {
  const near = async (query: string, index: PlacesIndex | null = places) =>
    (await open(index)).inject({ url: `/v2/stops/nearby?limit=2&${query}` });

  it.each([
    ['an address', 'stopId=place:na2', ['Ziel 67']],
    ['a station of the map', 'stopId=place:n3', ['Bahnhof 0', 'Heide 460']],
    ['a stop', 'stopId=at:z', ['Ziel 0']],
    ['a point', 'lat=48.0305&lon=16.0605', ['Ziel 67']],
  ])('answers the stops around %s', async (_what, query, expected) => {
    const answer = await near(query);
    expect(answer.statusCode).toBe(200);
    await expectValidAnswer('StopList', answer.json());
    const { stops } = answer.json() as { stops: Stop[] };
    expect(stops.map(({ name, distanceMeters }) => `${name} ${distanceMeters}`)).toEqual(expected);
  });

  it.each([
    ['stopId=place:n999', 'unknown_stop', 'stopId'],
    ['stopId=nowhere', 'unknown_stop', 'stopId'],
    ['', 'invalid_parameter', 'lat'],
    ['lat=48', 'invalid_parameter', 'lon'],
  ])('refuses %j', async (query, code, parameter) => {
    expectProblem(await near(query), code as 'unknown_stop', parameter);
    if (query.includes('place')) expectProblem(await near(query, null), 'unknown_stop', 'stopId');
  });
});

describe('POST /v2/trips with an index of places', () => {
  it('leads from a place to a place by their ids, and names both', async () => {
    const app = await open();
    const body = { from: { stopId: 'place:na1' }, to: { stopId: 'place:na2' }, time: TIME };
    const { trips, laterRef } = await plan(app, body);
    const legs = trips[0]!.legs;
    expect(legs[0]).toMatchObject({ mode: 'walk', origin: { id: 'place:na1', name: 'Angergasse 7, 2000 Ort' } });
    expect(legs.at(-1)).toMatchObject({ destination: { id: 'place:na2', name: 'Zielgasse 12, 2000 Ort' } });
    expect(legs.some(({ mode }) => mode === 'transit')).toBe(true);
    if (laterRef !== undefined) await plan(app, { ...body, time: undefined, pageRef: laterRef });
  });

  it('passes a place on the way', async () => {
    const via = [{ stopId: 'place:na2' }];
    const { trips } = await plan(await open(), { from: { stopId: 'at:a' }, via, to: { stopId: 'at:a' }, time: TIME });
    expect(trips[0]!.legs.map(({ destination }) => destination.name)).toContain('Zielgasse 12, 2000 Ort');
  });

  it('calls a coordinate without a name by the nearest address', async () => {
    const from = { coord: { lat: 48.0004, lon: 16.0004 } };
    const to = { coord: { lat: 48.031, lon: 16.0605 }, name: 'Zuhause' };
    const { trips } = await plan(await open(), { from, to, time: TIME });
    expect(trips[0]!.legs[0]!.origin).toMatchObject({ id: '48.000400,16.000400', name: 'Angergasse 7' });
    expect(trips[0]!.legs.at(-1)!.destination.name).toBe('Zuhause');
    const plain = await plan(await open(null), { from, to, time: TIME });
    expect(plain.trips[0]!.legs[0]!.origin.name).toBe('48.000400,16.000400');
  });

  it('takes the station of the map for that of the timetable', async () => {
    const { trips } = await plan(await open(), { from: { stopId: 'place:n3' }, to: { stopId: 'at:z' }, time: TIME });
    expect(trips[0]!.legs[0]).toMatchObject({ mode: 'transit', origin: { placeId: 'at:s' } });
  });

  it('refuses the id of a place that the index lacks', async () => {
    const payload = { from: { stopId: 'place:n999' }, to: { stopId: 'at:z' }, time: TIME };
    const answer = await (await open()).inject({ method: 'POST', url: '/v2/trips', payload });
    expectProblem(answer, 'unknown_stop', '/from/stopId');
  });
});

describe('watches and rescue with an index of places', () => {
  const legOf = (trips: TripResult['trips']) => {
    const leg = trips[0]!.legs.find(({ mode }) => mode === 'transit')!;
    return { journeyRef: leg.journeyRef!, originId: leg.origin.id, destinationId: leg.destination.id };
  };

  it('accept a place as the destination', async () => {
    const app = await open();
    const { trips } = await plan(app, { from: { stopId: 'at:a' }, to: { stopId: 'at:s' }, time: TIME });
    const body = { legs: [legOf(trips)], to: { stopId: 'place:na2' } };
    const rescue = await app.inject({ method: 'POST', url: '/v2/rescue', payload: body });
    expect(rescue.statusCode).toBe(200);
    const [option] = (rescue.json() as { options: { trip: { legs: { destination: { id: string } }[] } }[] }).options;
    expect(option!.trip.legs.at(-1)!.destination.id).toBe('place:na2');
    const watch = await app.inject({ method: 'POST', url: '/v2/rescue/watch', payload: body });
    expect(watch.statusCode).toBe(200);
    const unknown = { ...body, to: { stopId: 'place:n999' } };
    const refused = await app.inject({ method: 'POST', url: '/v2/rescue/watch', payload: unknown });
    expectProblem(refused, 'unknown_stop', '/to/stopId');
  });

  it('call the position of a traveller by the nearest address', async () => {
    const app = await open();
    const { trips } = await plan(app, { from: { stopId: 'at:a' }, to: { stopId: 'at:z' }, time: TIME });
    const payload = { legs: [legOf(trips)], position: { lat: 48.0004, lon: 16.0004 } };
    const rescue = await app.inject({ method: 'POST', url: '/v2/rescue', payload });
    const { options } = rescue.json() as { options: { trip: { legs: { origin: { name: string } }[] } }[] };
    expect(options.map(({ trip }) => trip.legs[0]!.origin.name)).toContain('Angergasse 7');
  });
});

describe('the trips of pages with an index of places', () => {
  it('take ids of places, and name coordinates', async () => {
    const query = new URLSearchParams({ from: '48.0004,16.0004', to: 'place:na2', time: TIME });
    const answer = await (await open()).inject({ url: `/site/data/trips?${query}` });
    expect(answer.statusCode).toBe(200);
    const [trip] = (answer.json() as TripResult).trips;
    expect(trip!.legs[0]!.origin.name).toBe('Angergasse 7');
    expect(trip!.legs.at(-1)!.destination.name).toBe('Zielgasse 12, 2000 Ort');
  });
});
