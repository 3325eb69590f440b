import { describe, expect, it } from 'vitest';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { FeedEntity } from '../../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { encodeFeedMessage } from '../../../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { createGtfsRtSource, type GtfsRtOptions } from '../../../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';

const NOW = 1_773_126_000 as Instant;
const URL = 'https://gtfs-rt.example.org';
const zone = 'Europe/Vienna';

const createSource = (options: Partial<GtfsRtOptions> = {}) =>
  createGtfsRtSource({ zone, tripUpdates: `${URL}/trips.pb`, ...options });

describe('a source of GTFS-Realtime', () => {
  it('requests each kind as a separate part', () => {
    const source = createSource({
      vehiclePositions: [`${URL}/vehicles.pb`],
      alerts: `${URL}/alerts.pb`,
      headers: { 'x-key': 'geheim' },
    });
    const [first, ...others] = source.listRequests(NOW);
    expect(first).toEqual({
      part: 'trip-updates',
      method: 'GET',
      url: `${URL}/trips.pb`,
      headers: { accept: expect.stringMatching(/^application\/x-protobuf/), 'x-key': 'geheim' },
      body: null,
      intervalSeconds: 30,
      extension: 'pb',
    });
    expect(others.map(({ part, url, intervalSeconds }) => [part, url, intervalSeconds])).toEqual([
      ['vehicle-positions', `${URL}/vehicles.pb`, 30],
      ['alerts', `${URL}/alerts.pb`, 60],
    ]);
  });

  it.each<[string, Partial<GtfsRtOptions>, [string, number][]]>([
    [
      'several addresses',
      { tripUpdates: ['a', 'b', 'c'] },
      [
        ['trip-updates', 30],
        ['trip-updates-2', 30],
        ['trip-updates-3', 30],
      ],
    ],
    ['one address for all', { tripUpdates: 'a', vehiclePositions: 'a', alerts: ['a'] }, [['trip-updates', 30]]],
    [
      'a slow publisher',
      { intervalSeconds: 90, alerts: 'b' },
      [
        ['trip-updates', 90],
        ['alerts', 90],
      ],
    ],
    [
      'fast alerts',
      { intervalSeconds: 10, alerts: 'b', alertsIntervalSeconds: 20 },
      [
        ['trip-updates', 10],
        ['alerts', 20],
      ],
    ],
    ['only alerts', { tripUpdates: [], alerts: 'b' }, [['alerts', 60]]],
  ])('with %s', (_what, options, expected) => {
    const requests = createSource(options).listRequests(NOW);
    expect(requests.map(({ part, intervalSeconds }) => [part, intervalSeconds])).toEqual(expected);
  });

  it('throws without a URL', () => {
    expect(() => createGtfsRtSource({ zone, alerts: [] })).toThrow(RangeError);
  });

  it('has default facts that suit most publishers', () => {
    expect(createSource().facts).toEqual({
      kind: 'gtfs-rt',
      zone,
      minGapSeconds: 1,
      timeoutSeconds: 20,
      maxBytes: 64 * 1024 * 1024,
      maxAgeSeconds: 300,
      dailyBudget: null,
      archive: 'full',
      licence: null,
      attribution: null,
      coverage: [],
      isNationwide: false,
    });
    const facts = { licence: 'CC BY 4.0', coverage: ['Steiermark'], maxAgeSeconds: 90 };
    expect(createSource({ facts }).facts).toMatchObject({ kind: 'gtfs-rt', zone, minGapSeconds: 1, ...facts });
  });

  const tripUpdate = {
    trip: { tripId: 'a' },
    stopTimeUpdate: [{ stopSequence: 1, departure: { time: NOW - 60, uncertainty: 20 } }],
  };

  async function parse(entity: readonly FeedEntity[], options: Partial<GtfsRtOptions> = {}, timestamp: number = NOW) {
    const source = createSource(options);
    const bytes = encodeFeedMessage({ header: { gtfsRealtimeVersion: '2.0', timestamp }, entity });
    return source.parse(bytes, source.listRequests(NOW)[0]!, NOW);
  }

  it('responses', async () => {
    const update = await parse([{ id: '1', tripUpdate }]);
    expect(update).toMatchObject({ publishedAt: NOW, isFrozen: false, recordCount: 1, problems: [] });
    expect(update.trips[0]).toMatchObject({ trip: { tripId: 'a' }, calls: [{ departure: { isMeasured: false } }] });
  });

  it('have measured stop events if configured', async () => {
    const update = await parse([{ id: '1', tripUpdate }], { measuredStopEvents: true });
    expect(update.trips[0]!.calls[0]!.departure!.isMeasured).toBe(true);
  });

  it('are frozen if their header is too old', async () => {
    expect((await parse([], {}, NOW - 100)).isFrozen).toBe(false);
    expect((await parse([], { facts: { maxAgeSeconds: 90 } }, NOW - 100)).isFrozen).toBe(true);
  });

  it('have problems with the id of the source', async () => {
    expect((await parse([{ id: '1' }], { id: 'stmk_gtfs_rt' })).problems).toMatchObject([{ source: 'stmk_gtfs_rt' }]);
  });

  it('are rejected unless they are a feed', () => {
    const source = createSource();
    const page = Buffer.from('<html>gesperrt</html>');
    expect(() => source.parse(page, source.listRequests(NOW)[0]!, NOW)).toThrowError(
      expect.objectContaining({ name: 'UnreadableAnswer', code: 'not_protobuf' }),
    );
  });
});
