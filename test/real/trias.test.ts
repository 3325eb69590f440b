import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { UnreadableAnswer } from '../../pipeline/model/problem.ts';
import type { SourceUpdate } from '../../pipeline/model/realtime.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { parseAnswer } from '../../pipeline/sources/trias/parse-answer.ts';
import { createTriasSource } from '../../pipeline/sources/trias/trias-source.ts';
import { realData } from '../support/worlds/real-data.ts';

const instant = (text: string) => parseTimestamp(text)!;

/** For recordings without their timestamp. */
const RECORDED_AT = instant('2026-02-26T17:00:00Z');

const readRecording = (name: string) => readFile(realData(`upstream/${name}`));

/** A recording, read as if it had just been fetched. */
async function readUpdate(name: string, fetchedAt?: Instant): Promise<SourceUpdate> {
  const bytes = await readRecording(name);
  const kind = name.startsWith('ojp/') ? 'ojp' : 'trias';
  const source = createTriasSource({ kind, url: 'https://sample.example', requestorRef: null, stops: ['x'] });
  const request = source.listRequests(RECORDED_AT)[0]!;
  const { responseTime } = parseAnswer(bytes, 'trias');
  const answeredAt = responseTime === null ? RECORDED_AT : instant(responseTime);
  return source.parse(bytes, request, fetchedAt ?? answeredAt);
}

/** Records, trips, calls and alerts; then the reported problems. */
type Counts = readonly [records: number, trips: number, calls: number, alerts: number, problems: readonly string[]];

const recordings: Readonly<Record<string, Counts | string>> = {
  'ojp/LA_VAO_LIR_Request.xml': 'request_document',
  'ojp/LA_VAO_LIR_Response.xml': [1, 0, 0, 0, []],
  'ojp/LA_VAO_TR_Request.xml': 'request_document',
  // Requested in June for trips in May, so the times are not current.
  'ojp/LA_VAO_TR_Response.xml': [2, 2, 4, 0, ['frozen_answer']],
  'ojp/ch-error-notripfound.xml': [0, 0, 0, 0, []],
  'ojp/ch-journey-basic.xml': [2, 2, 4, 0, []],
  'ojp/ch-location-by-coord.xml': [1, 0, 0, 0, []],
  'ojp/ch-location-by-name.xml': [2, 0, 0, 0, []],
  'ojp/ch-stopover-departure.xml': [2, 2, 2, 0, []],
  'ojp/ch2-journey-basic.xml': [6, 6, 35, 0, []],
  'ojp/ch2-journey-error-not-found.xml': [0, 0, 0, 0, []],
  'ojp/ch2-journey-situation.xml': [3, 2, 4, 1, []],
  'ojp/ch2-location-by-coord.xml': [3, 0, 0, 0, []],
  'ojp/ch2-location-by-name.xml': [8, 0, 0, 0, []],
  'ojp/ch2-stopover-occupancy.xml': [3, 3, 3, 0, []],
  'ojp/ch2-trip.xml': [1, 1, 8, 0, []],
  'ojp/vvo-journey-intermediates.xml': [2, 1, 5, 1, []],
  'ojp/vvo-location-by-name.xml': [3, 0, 0, 0, []],
  'ojp/vvo-stopover-departure.xml': [3, 2, 2, 1, []],
  'ojp/xml-error.xml': 'truncated',
  'trias/journey-arrival-trias.xml': 'request_document',
  'trias/journey-departure-trias.xml': 'request_document',
  'trias/kvv_StopEventResponse_2022-04-12.xml': [2, 2, 2, 0, []],
  'trias/location-by-coord-trias.xml': 'request_document',
  'trias/location-by-name-trias.xml': 'request_document',
  'trias/stopover-arrival-trias.xml': 'request_document',
  'trias/stopover-departure-trias.xml': 'request_document',
  'trias/vvo-journey-intermediates.xml': [2, 1, 5, 1, []],
  'trias/vvo-location-by-name.xml': [3, 0, 0, 0, []],
  'trias/vvo-stopover-departure.xml': [3, 2, 2, 1, []],
};

test('covers every recording', async () => {
  const folders = await Promise.all(
    ['ojp', 'trias'].map(async (folder) =>
      (await readdir(realData(`upstream/${folder}`))).map((file) => `${folder}/${file}`),
    ),
  );
  expect(folders.flat().sort()).toEqual(Object.keys(recordings).sort());
});

test.each(Object.entries(recordings))('%s', async (name, expected) => {
  if (typeof expected === 'string') {
    await expect(readUpdate(name)).rejects.toBeInstanceOf(UnreadableAnswer);
    await expect(readUpdate(name)).rejects.toMatchObject({ code: expected });
    return;
  }
  const { recordCount, trips, alerts, problems } = await readUpdate(name);
  const calls = trips.flatMap((trip) => trip.calls);
  expect([recordCount, trips.length, calls.length, alerts.length, problems.map(({ code }) => code)]).toEqual(expected);
  // No recording has a RecordedAtTime, so no time counts as observed.
  expect(calls.some(({ arrival, departure }) => arrival?.isMeasured || departure?.isMeasured)).toBe(false);
  for (const { departure } of calls) expect(departure?.scheduledTime ?? 0).not.toBeNaN();
});

describe('content of recordings', () => {
  test('VVO: a bus at another bay, and the construction works of its line', async () => {
    const { publishedAt, trips, alerts } = await readUpdate('trias/vvo-stopover-departure.xml');
    expect(publishedAt).toBe(instant('2021-09-10T21:40:30+02:00'));
    expect(trips[0]).toMatchObject({
      relationship: 'scheduled',
      originName: 'Kurort Kipsdorf Bahnhof',
      trip: { tripId: 'voe:23360::R:j21:59', startDate: '2021-09-10', lineLabel: '360', product: 'regionalBus' },
      calls: [
        {
          stop: { id: 'de:14612:131:1:1', idSpace: 'ifopt', name: 'Dresden Reichenbachstraße' },
          scheduledPlatform: '3',
          platform: '1',
          departure: { scheduledTime: instant('2021-09-10T21:41:00+02:00'), time: instant('2021-09-10T19:41:00Z') },
        },
      ],
    });
    expect(alerts[0]).toMatchObject({
      id: 'vvo:12996',
      title: 'Linienaenderung',
      lines: [{ label: '360', routeId: 'voe:23360::R' }],
      activeWindows: [{ from: instant('2021-08-27T00:00:00+02:00'), to: instant('2021-11-11T00:00:00+01:00') }],
    });
    expect(alerts[0]?.text).toMatch(/^Geänderte Verkehrslenkung.*kann nicht bedient werden\.$/s);
  });

  test('KVV: a tram without a forecast; its label has no mode, its platform no `Gleis`', async () => {
    const { trips } = await readUpdate('trias/kvv_StopEventResponse_2022-04-12.xml');
    expect(trips[0]).toMatchObject({
      trip: { lineLabel: '1', product: 'tram', headsign: 'Heide' },
      calls: [
        {
          scheduledPlatform: '1',
          departure: { scheduledTime: instant('2022-04-12T10:13:18+02:00'), time: null },
        },
      ],
    });
  });

  test('VAO in Linking Alps: platform ids from HAFAS locations', async () => {
    const { trips, isFrozen } = await readUpdate('ojp/LA_VAO_TR_Response.xml');
    expect(isFrozen).toBe(true);
    expect(trips.map(({ trip, calls }) => [trip.lineLabel, trip.product, trip.routeId, calls[0]?.stop?.id])).toEqual([
      ['RJ 797', 'train', null, 'at:45:52099:0:3'],
      ['RJX 168', 'train', null, 'at:45:50002:0:6'],
    ]);
    expect(trips[0]?.calls[0]?.departure?.scheduledTime).toBe(instant('2023-05-10T15:07:00Z'));
    expect(trips[0]?.calls[0]?.stop).toMatchObject({ lat: 47.417802, lon: 13.220004 });
  });

  test('Switzerland, OJP 2.0: quays, lines, coordinates, and a delay of three minutes', async () => {
    const { publishedAt, isFrozen, trips } = await readUpdate('ojp/ch2-stopover-occupancy.xml');
    expect([publishedAt, isFrozen]).toEqual([null, false]);
    expect(trips.map(({ trip }) => [trip.lineLabel, trip.product])).toEqual([
      ['S11', 'sBahn'],
      ['IC5', 'train'],
      ['S3', 'sBahn'],
    ]);
    expect(trips[0]?.calls[0]).toMatchObject({
      stop: { id: 'ch:1:sloid:3000:503:43', name: 'Zürich HB', lat: 47.37897, lon: 8.53885 },
      scheduledPlatform: '43/44',
      platform: '44',
      departure: { scheduledTime: instant('2026-02-26T18:01:00+01:00'), time: instant('2026-02-26T18:04:12+01:00') },
    });
  });

  test('Switzerland, OJP 2.0: attaches a situation about a lift to the trip that refers to it', async () => {
    const { publishedAt, alerts } = await readUpdate('ojp/ch2-journey-situation.xml');
    expect(publishedAt).toBe(instant('2026-02-27T15:05:47Z'));
    expect(alerts[0]).toMatchObject({ lines: [], stops: [], trips: [{ lineLabel: 'IC6' }] });
    expect(alerts[0]?.text).toContain('Betroffen ist der Personenlift Gleis 7/8.');
  });

  test('Switzerland, OJP 2.0: all calls of a trip, in order', async () => {
    const { trips } = await readUpdate('ojp/ch2-trip.xml');
    const times = trips[0]?.calls.map(
      ({ arrival, departure }) => departure?.scheduledTime ?? arrival?.scheduledTime ?? 0,
    );
    expect(times).toEqual(times?.toSorted((a, b) => a - b));
    expect(trips[0]?.trip).toMatchObject({ lineLabel: 'R41', product: 'regionalTrain', headsign: 'Zermatt' });
    expect(trips[0]?.originName).toBeNull();
  });

  test('treats any of them as frozen if fetched an hour later', async () => {
    const name = 'ojp/ch-stopover-departure.xml';
    const { isFrozen } = await readUpdate(name, instant('2021-09-06T21:01:21Z'));
    expect([isFrozen, (await readUpdate(name)).isFrozen]).toEqual([true, false]);
  });
});

test('answers of stop events cut off anywhere are unreadable, and nothing else', async () => {
  const bytes = await readRecording('trias/vvo-stopover-departure.xml');
  const end = bytes.toString('utf8').trimEnd().length;
  for (let length = 0; length < end; length += 7) {
    expect(() => parseAnswer(bytes.subarray(0, length), 'trias')).toThrow(UnreadableAnswer);
  }
});
