import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnreadableAnswer } from '../../../../pipeline/model/problem.ts';
import type { SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import { parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import type { HafasOptions } from '../../../../pipeline/sources/hafas/create-hafas-source.ts';
import { createHafasSource } from '../../../../pipeline/sources/hafas/create-hafas-source.ts';
import { everything, goodBoard, spoil, toBytes } from './fixtures.ts';

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');
const now = parseTimestamp('2025-05-20T17:00:00+02:00')!;

const options: HafasOptions = {
  id: 'vao',
  profile: 'vao',
  endpoint: 'https://hafas.example.org/mgate.exe',
  key: 'of-the-operator',
  stops: ['490134900', '430412300'],
  dailyBudget: 50_000,
};

describe('facts', () => {
  it('never allow an archive, whatever the configuration', async () => {
    const overrides = { archive: 'full', kind: 'trias', attribution: 'Jemand', maxAgeSeconds: 600 } as object;
    const { facts } = await createHafasSource({ ...options, overrides }, md5);
    expect(facts).toMatchObject({
      kind: 'hafas',
      zone: 'Europe/Vienna',
      archive: 'none',
      dailyBudget: 50_000,
      attribution: 'Jemand',
      maxAgeSeconds: 600,
    });
  });

  it('keep forecasts for three rounds', async () => {
    const age = async (changed: Partial<HafasOptions>) =>
      (await createHafasSource({ ...options, ...changed }, md5)).facts.maxAgeSeconds;
    expect(await age({})).toBe(180);
    expect(await age({ intervalSeconds: 120 })).toBe(360);
  });
});

describe('requests', () => {
  it('follow the configuration, boards first', async () => {
    const source = await createHafasSource(
      {
        ...options,
        arrivals: true,
        remarks: true,
        radar: { south: 48.1, west: 16.2, north: 48.3, east: 16.5 },
      },
      md5,
    );
    const requests = source.listRequests(now);
    expect(requests.map(({ part, intervalSeconds }) => [part, intervalSeconds])).toEqual([
      ['departures-490134900', 60],
      ['departures-430412300', 60],
      ['arrivals-490134900', 60],
      ['arrivals-430412300', 60],
      ['remarks', 300],
      ['radar', 60],
      ['server-info', 3600],
    ]);
    expect(new Set(requests.map(({ method, extension }) => `${method} ${extension}`))).toEqual(new Set(['POST json']));
  });

  it('for map areas are made if enabled, with a fifth of the budget', async () => {
    const box = { south: 48.1, west: 16.2, north: 48.3, east: 16.5 };
    expect((await createHafasSource(options, md5)).toAreaRequest).toBeUndefined();
    const source = await createHafasSource({ ...options, vehiclesOnDemand: true }, md5);
    const request = source.toAreaRequest!(box, now);
    expect([request.part, request.intervalSeconds]).toEqual(['area-481-162-483-165', 30]);
    const { svcReqL } = JSON.parse(request.body!);
    expect(svcReqL).toMatchObject([
      {
        meth: 'JourneyGeoPos',
        req: { rect: { llCrd: { x: 16_200_000, y: 48_100_000 }, urCrd: { x: 16_500_000, y: 48_300_000 } } },
      },
    ]);
    // 100 calls a day for two boards and the server info, then 80.
    const seconds = async (vehiclesOnDemand: boolean) =>
      (await createHafasSource({ ...options, dailyBudget: 100, vehiclesOnDemand }, md5)).listRequests(now)[0]!
        .intervalSeconds;
    expect((await seconds(true)) / (await seconds(false))).toBeCloseTo(1.25, 2);
  });

  it('contain key, product bits and time, and begin slightly before now', async () => {
    const [first] = (await createHafasSource({ ...options, durationMinutes: 30 }, md5)).listRequests(now);
    expect(first!.url).toBe(options.endpoint);
    expect(first!.headers).toEqual({ accept: 'application/json', 'content-type': 'application/json' });
    expect(JSON.parse(first!.body!)).toEqual({
      lang: 'de',
      ver: '1.59',
      ext: 'VAO.22',
      client: { type: 'WEB', id: 'VAO', name: 'webapp' },
      auth: { type: 'AID', aid: 'of-the-operator' },
      svcReqL: [
        {
          meth: 'StationBoard',
          req: {
            type: 'DEP',
            date: '20250520',
            time: '165500',
            dur: 35,
            stbLoc: { type: 'S', lid: 'A=1@L=490134900@' },
            jnyFltrL: [{ type: 'PROD', mode: 'INC', value: '8183' }],
          },
        },
      ],
    });
  });

  it('may be redirected on the host of the endpoint and to configured hosts', async () => {
    const hostsOf = async (more: Partial<HafasOptions> = {}) =>
      (await createHafasSource({ ...options, vehiclesOnDemand: true, ...more }, md5)).listRequests(now)[0]!
        .redirectHosts;
    expect(await hostsOf()).toEqual(['hafas.example.org']);
    expect(await hostsOf({ redirectHosts: ['new.example.org'] })).toEqual(['hafas.example.org', 'new.example.org']);
  });

  it('are equal for equal times', async () => {
    const source = await createHafasSource(options, md5);
    expect(source.listRequests(now)).toEqual(source.listRequests(now));
  });

  it.each([
    [50_000, 60],
    [2904, 60],
    [1452, 120],
    [100, 1743],
    [1, 174_240],
  ])('are spread over a daily budget of %i', async (dailyBudget, seconds) => {
    const requests = (await createHafasSource({ ...options, dailyBudget }, md5)).listRequests(now);
    expect(requests[0]!.intervalSeconds).toBe(seconds);
    const callsADay = requests.reduce((sum, { intervalSeconds }) => sum + 86_400 / intervalSeconds, 0);
    expect(callsADay).toBeLessThanOrEqual(dailyBudget);
  });

  it("follow a profile of hafas-client with the operator's overrides", async () => {
    const profile = { base: 'oebb', ver: '9.9', departuresGetPasslist: true };
    const [first] = (await createHafasSource({ ...options, profile }, md5)).listRequests(now);
    const body = JSON.parse(first!.body!);
    expect([body.ver, body.client.id, body.auth.aid]).toEqual(['9.9', 'OEBB', 'of-the-operator']);
    expect(body.svcReqL[0].req.getPasslist).toBe(true);
  });
});

describe('a configuration error', () => {
  it.each<[string, object, string]>([
    ['no budget', { dailyBudget: undefined }, 'dailyBudget'],
    ['a budget of zero', { dailyBudget: 0 }, 'dailyBudget'],
    ['half a call', { dailyBudget: 0.5 }, 'dailyBudget'],
    ['no stops', { stops: [] }, 'stops'],
    ['a stop that would break the request', { stops: ['1@L=2'] }, 'stops'],
    ['the same stop twice', { stops: ['1', '1'] }, 'departures-1'],
    ['no address', { endpoint: null }, 'profile.endpoint'],
    ['an invalid URL', { endpoint: 'file:///etc/passwd' }, 'profile.endpoint'],
    ['no key', { key: null }, 'profile.auth'],
    ['an unknown profile', { profile: 'atlantis' }, 'no profile "atlantis"'],
    ['a profile with a path', { profile: '../lib' }, 'cannot name a profile'],
    ['an unknown zone', { profile: { base: 'vao', timezone: 'Europe/Atlantis' } }, 'profile.timezone'],
    ['no products', { profile: { base: 'vao', products: [] } }, 'profile.products'],
    ['a signature without salt', { profile: { base: 'vao', addMicMac: true } }, 'profile.salt'],
    ['no time between requests', { intervalSeconds: 0 }, 'intervalSeconds'],
    ['boards of zero length', { durationMinutes: -5 }, 'durationMinutes'],
  ])('is reported before any request: %s', async (_name, changed, expected) => {
    const error = await createHafasSource({ ...options, ...changed } as HafasOptions, md5).catch((e: Error) => e);
    expect(error).toBeInstanceOf(RangeError);
    expect((error as Error).message).toContain(expected);
    expect((error as Error).message).not.toContain('of-the-operator');
  });
});

describe('responses', () => {
  it('give equal updates when read twice', async () => {
    const source = await createHafasSource(options, md5);
    const [request] = source.listRequests(now);
    const first = await source.parse(toBytes(goodBoard), request!, now);
    expect(first.trips).toHaveLength(3);
    expect(await source.parse(toBytes(goodBoard), request!, now)).toEqual(first);
  });

  it('of ÖBB show the bus that replaces trains as a bus', async () => {
    const source = await createHafasSource({ ...options, profile: 'oebb' }, md5);
    const [request] = source.listRequests(now);
    const board = JSON.parse(JSON.stringify(goodBoard).replace('"cls":64', '"cls":2'));
    const { trips } = await source.parse(toBytes(board), request!, now);
    expect(trips.find(({ trip }) => trip.lineLabel?.includes('512'))?.trip.product).toBe('regionalBus');
  });

  it('in other formats are rejected', async () => {
    const source = await createHafasSource(options, md5);
    const [request] = source.listRequests(now);
    const parse = async () => source.parse(new TextEncoder().encode('<html>'), request!, now);
    await expect(parse()).rejects.toMatchObject({ name: 'UnreadableAnswer', code: 'html' });
  });

  it('are read with arbitrary values in any position', async () => {
    const source = await createHafasSource(options, md5);
    const [request] = source.listRequests(now);
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom<unknown>(-1, 1e300, 0, '', ' ', '0', '990000', '99999999', [], [null], {}, undefined, true),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...listPaths(everything)), value, async (path, replaced) => {
        const answer = structuredClone(everything) as object;
        const holder = path
          .slice(0, -1)
          .reduce<Record<string, unknown>>(
            (object, key) => object[key] as Record<string, unknown>,
            answer as Record<string, unknown>,
          );
        holder[path.at(-1)!] = replaced;
        const update = await readOrRefuse(() => source.parse(toBytes(answer), request!, now));
        if (update !== null) expect(findOdd(update)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('with cyclic parent stops are read without delay', async () => {
    const source = await createHafasSource(options, md5);
    const [request] = source.listRequests(now);
    const all = Array.from({ length: 30 }, (_, index) => index);
    const circle = spoil((res) => {
      res.common.locL = all.map((i) => ({
        type: 'S',
        name: `Steig ${i}`,
        extId: `${i + 1}`,
        stopLocL: all,
        mMastLocX: 29 - i,
      }));
    });
    const { trips } = await source.parse(toBytes(circle), request!, now);
    expect(trips[0]!.calls[0]!.stop).toMatchObject({ id: '1', name: 'Steig 0' });
  });
});

/** The position of each value of a response. */
function listPaths(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) => listPaths(member, [...path, key]))
      : [];
  return path.length === 0 ? below : [path, ...below];
}

async function readOrRefuse(parse: () => SourceUpdate | Promise<SourceUpdate>): Promise<SourceUpdate | null> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof UnreadableAnswer) return null;
    throw error;
  }
}

/** Invalid numbers, and values other than text or null in place of text. */
function findOdd({ trips, vehicles, alerts }: SourceUpdate): unknown[] {
  const calls = trips.flatMap((trip) => trip.calls);
  const texts = [
    ...trips.flatMap(({ trip: { startTime, ...name }, originName }) => [...Object.values(name), originName]),
    ...calls.flatMap(({ stop, scheduledPlatform, platform }) => [stop?.id, stop?.name, scheduledPlatform, platform]),
    ...alerts.flatMap(({ id, title, text, category, operatorName }) => [id, title, text, category, operatorName]),
  ];
  const numbers = [
    ...trips.map(({ trip }) => trip.startTime),
    ...calls.flatMap(({ stop, arrival, departure }) => [stop?.lat, stop?.lon, arrival?.time, departure?.scheduledTime]),
    ...vehicles.flatMap(({ lat, lon, headingDeg, recordedAt }) => [lat, lon, headingDeg, recordedAt]),
    ...alerts.map(({ priority }) => priority),
  ];
  return [
    ...texts.filter((text) => text != null && typeof text !== 'string'),
    ...numbers.filter((number) => number != null && !Number.isFinite(number)),
  ];
}
