import { describe, expect, test } from 'vitest';
import { type TripDayRow, toTripRecord } from '../../../api/history/trip-record.ts';
import { describeTripDay, describeTripRecord, summariseTripRecord } from '../../../api/site/view-model/trip-record.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';

const period = { from: '2026-01-01' as ServiceDate, to: '2026-01-30' as ServiceDate };
const row = (day: number, delay: number | null, rest: Partial<TripDayRow> = {}): TripDayRow => ({
  day: `2026-01-${String(day).padStart(2, '0')}`,
  operator: 'ÖBB',
  first_stop_name: 'Wien Hbf',
  last_stop_name: 'Salzburg Hbf',
  first_departure_minutes: 7 * 60 + 5,
  scheduled: 6,
  observed: delay === null ? 0 : 6,
  cancelled: 0,
  final_delay_seconds: delay,
  ...rest,
});
const read = (rows: readonly TripDayRow[], operator: string | null = null) =>
  toTripRecord({ number: 'RJX 662', period, operator, onTimeMaxDelaySeconds: 330 }, rows);
const month = [
  ...Array.from({ length: 24 }, (_, n) => row(n + 1, n * 10)),
  ...[330, 290 + 40, 240 + 90, 600].map((delay, n) => row(25 + n, delay)),
];

describe('the record of a train number', () => {
  test('counts days, and gives the median of late ones', () => {
    const record = read(month);
    expect([record.counts, record.lateMedianSeconds]).toEqual([{ onTime: 24, late: 4, cancelled: 0, unknown: 0 }, 330]);
    expect(describeTripRecord(record, 'en')).toEqual([
      'RJX 662 was on time on 24 of 28 days.',
      'When it was not, its median delay was 6 minutes.',
    ]);
    expect(describeTripRecord(record, 'de')).toEqual([
      'RJX 662 war an 24 von 28 Tagen pünktlich.',
      'War die Fahrt unpünktlich, betrug die Verspätung im Median 6 Minuten.',
    ]);
    expect(summariseTripRecord(record, 'de')).toBe('an 24 von 28 Tagen pünktlich');
  });

  test('is on time below the limit only, and cancelled only if all calls are', () => {
    const days = [
      row(1, 329),
      row(2, 330),
      row(3, -120),
      row(4, null),
      row(5, null, { cancelled: 6 }),
      row(6, 0, { cancelled: 3, observed: 3 }),
    ];
    const record = read(days);
    expect(record.days.map(({ status }) => status)).toEqual([
      ...(['onTime', 'late', 'onTime', 'unknown', 'cancelled', 'onTime'] as const),
    ]);
    expect(record.days.map((day) => describeTripDay(day, 'en'))).toEqual([
      'on time (+5 min)',
      '6 minutes late',
      'on time, 2 minutes early',
      'not observed',
      'cancelled',
      'on time',
    ]);
    expect(describeTripRecord(record, 'en')).toEqual([
      'RJX 662 was on time on 3 of 4 days.',
      'When it was not, its median delay was 6 minutes.',
      'It was cancelled on one day.',
      'It was not observed on one day.',
    ]);
    expect(record.days[0]).toMatchObject({ departure: '07:05', from: 'Wien Hbf', to: 'Salzburg Hbf' });
  });

  test('of two trips on a day is that of the one with more calls', () => {
    const record = read([row(1, 0), row(1, 900, { scheduled: 2 })]);
    expect(record.days.map(({ finalDelaySeconds }) => finalDelaySeconds)).toEqual([0]);
  });

  test('is of the operator with the most days, unless another is requested', () => {
    const rows = [row(1, 0, { operator: '' }), row(1, 400), row(2, 400)];
    expect(read(rows)).toMatchObject({ operator: 'ÖBB', operators: ['ÖBB', ''], counts: { late: 2 } });
    expect(read(rows, '')).toMatchObject({ operator: '', counts: { onTime: 1, late: 0 } });
    expect(read(rows, 'nobody').days).toEqual([]);
  });

  test('draws no conclusion without an observation', () => {
    expect(describeTripRecord(read([]), 'en')).toEqual([expect.stringContaining('Nothing was recorded for RJX 662')]);
    expect(describeTripRecord(read([row(1, null)]), 'en')).toEqual([expect.stringContaining('It is not known')]);
    expect(describeTripRecord(read([row(1, 0), row(2, 60)]), 'en')).toEqual([
      'RJX 662 was on time on all 2 days on which it was observed.',
    ]);
    expect(read([]).operator).toBeNull();
  });
});
