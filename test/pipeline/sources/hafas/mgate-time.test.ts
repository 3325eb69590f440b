import { describe, expect, it, vi } from 'vitest';
import { formatTimestamp, type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { formatDate, formatTime, parseDateTime } from '../../../../pipeline/sources/hafas/load-profile.ts';

const profile = { timezone: 'Europe/Vienna' };
const read = (date: unknown, time: unknown, offset: number | null = null) =>
  parseDateTime({ profile }, date, time, offset) as string;

describe('times of mgate', () => {
  it.each<[string, string, number | null, string]>([
    ['20250520', '170000', null, '2025-05-20T17:00:00+02:00'],
    ['20250520', '000000', null, '2025-05-20T00:00:00+02:00'],
    ['20250520', '01001000', null, '2025-05-21T00:10:00+02:00'],
    ['20251231', '02060000', null, '2026-01-02T06:00:00+01:00'],
    ['20250520', '170000', 60, '2025-05-20T17:00:00+01:00'],
    ['20250520', '170000', -150, '2025-05-20T17:00:00-02:30'],
    // The repeated hour.
    ['20251026', '023000', 120, '2025-10-26T02:30:00+02:00'],
    ['20251026', '023000', 60, '2025-10-26T02:30:00+01:00'],
    ['20251026', '023000', null, '2025-10-26T02:30:00+01:00'],
    ['20251026', '015959', null, '2025-10-26T01:59:59+02:00'],
    ['20251026', '030000', null, '2025-10-26T03:00:00+01:00'],
    // The skipped hour.
    ['20250330', '015959', null, '2025-03-30T01:59:59+01:00'],
    ['20250330', '030000', null, '2025-03-30T03:00:00+02:00'],
    ['20250329', '01030000', null, '2025-03-30T03:00:00+02:00'],
  ])('%s %s with offset %s is %s', (date, time, offset, expected) => {
    expect(read(date, time, offset)).toBe(new Date(parseTimestamp(expected)! * 1000).toISOString());
    expect(parseDateTime({ profile }, date, time, offset, true)).toBe(parseTimestamp(expected)! * 1000);
  });

  it.each<[unknown, unknown, number | null]>([
    ['20250230', '170000', null],
    ['2025-05-2', '170000', null],
    ['', '170000', null],
    ['20250520', '240000', null],
    ['20250520', '176000', null],
    ['20250520', '1700', null],
    ['20250520', '1170000', null],
    ['20250520', 'noon', null],
    ['20250520', 170000, null],
    [20250520, '170000', null],
    [undefined, undefined, null],
    ['20250520', '170000', 0.5],
    ['20250520', '170000', '60' as never],
  ])('throws for %j %j with offset %j', (date, time, offset) => {
    expect(() => read(date, time, offset)).toThrow();
  });

  it.each([
    ['2025-05-20T23:59:59+02:00', '20250520', '235959'],
    ['2025-05-20T22:30:00Z', '20250521', '003000'],
    ['2025-10-26T00:30:00Z', '20251026', '023000'],
    ['2025-10-26T01:30:00Z', '20251026', '023000'],
  ])('formats %s as %s %s', (text, date, time) => {
    const when = new Date(text);
    expect([formatDate(profile, when), formatTime(profile, when)]).toEqual([date, time]);
  });

  it('are parsed as by hafas-client, in every hour of a year except the repeated one', async () => {
    const zoned = { ...profile, locale: 'de-AT' };
    const library = await vi.importActual<{ parseDateTime: typeof parseDateTime }>('hafas-client/parse/date-time.js');
    const different: string[] = [];
    for (let instant = Date.UTC(2025, 0, 1) / 1000; instant < Date.UTC(2026, 0, 1) / 1000; instant += 3600) {
      const text = formatTimestamp(instant as Instant, profile.timezone);
      const [date, time] = [text.slice(0, 10).replaceAll('-', ''), text.slice(11, 19).replaceAll(':', '')];
      const [own, theirs] = [parseDateTime, library.parseDateTime].map((parse) =>
        parse({ profile: zoned } as never, date, time, null, true),
      );
      if (own !== theirs) different.push(text);
    }
    expect(different.filter((text) => !text.startsWith('2025-10-26T02'))).toEqual([]);
  });
});
