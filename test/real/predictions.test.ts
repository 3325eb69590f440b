import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { toEpochDay } from '../../pipeline/model/service-time.ts';
import { buildFeatures, choosePairs } from '../../pipeline/predictions/features/build-features.ts';
import { type DatedTripTable, toWholeMinutes } from '../../pipeline/predictions/features/dated-trip-table.ts';
import { buildPredictionMetrics } from '../../pipeline/predictions/measured/build-prediction-metrics.ts';
import { describePairs } from '../../pipeline/predictions/model/delay-model.ts';
import { loadPlRail, plRailLayout } from '../evaluation/pl-rail-layout.ts';
import { realData } from '../support/worlds/real-data.ts';

const whole = realData('delays/pl_rail_2025-02_2025-08.parquet');
const sample = realData('delays/pl_rail_sample_2025-05.parquet');
const date = (text: string) => text as ServiceDate;

let db: Duckdb;

beforeAll(async () => {
  db = await openDuckdb({ threads: 2, memoryLimit: '1GB' });
});

afterAll(() => db.close());

/** Mean absolute error of persistence from a day on, and the number of pairs. */
function measurePersistence(table: DatedTripTable, from: string): { pairs: number; error: number } {
  const pairs = choosePairs(table);
  const { truth, current } = describePairs(table, pairs);
  let count = 0;
  let sum = 0;
  for (let pair = 0; pair < pairs.count; pair++) {
    if (table.serviceDay[pairs.datedTrip[pair]!]! < toEpochDay(date(from))) continue;
    count++;
    sum += Math.abs(truth[pair]! - current[pair]!);
  }
  return { pairs: count, error: sum / count };
}

describe('the archive of Polish trains', () => {
  // The values in the protocol, 51.1 and 39.4, 56.0 and 44.8, include implausible rows.
  it.each([
    ['normal', '2025-03-24', '2025-05-05', '2025-05-18', 50.8, 39.0],
    ['timetable change', '2025-04-28', '2025-06-09', '2025-06-21', 55.7, 44.5],
  ])('%s: persistence has the error of the protocol', async (_, from, testFrom, testTo, raw, minutes) => {
    const { table } = await loadPlRail(db, whole, date(from), date(testTo));
    expect(measurePersistence(table, testFrom).error.toFixed(1)).toBe(raw.toFixed(1));
    expect(measurePersistence(toWholeMinutes(table), testFrom).error.toFixed(1)).toBe(minutes.toFixed(1));
  });

  it('has the pairs of a plain query, in the same order', async () => {
    const { table, implausible } = await loadPlRail(db, sample, date('2025-05-01'), date('2025-05-31'));
    expect(implausible).toEqual({ early_departure: 60, before_previous_event: 115 });
    const pairs = choosePairs(table);
    const rows = await db.query(`
      with recursive days as (
        from read_parquet(${sqlText(sample)}) where service_date between date '2025-05-01' and date '2025-05-31'
      ),
      listed as (
        select service_date, trip_name, trip_id, seq, row_number() over trip as place,
          cancelled = false and abs(arr_delay_s) < 14400 and abs(dep_delay_s) < 14400 as is_counted,
          if(seq = min(seq) over trip_all, null, epoch(arr_sched_utc) + arr_delay_s) as arrived,
          if(seq = max(seq) over trip_all, null, epoch(dep_sched_utc) + dep_delay_s) as departed,
          if(seq = max(seq) over trip_all, null, dep_delay_s) as departure_delay
        from days
        window trip as (partition by service_date, trip_name, trip_id order by seq),
          trip_all as (partition by service_date, trip_name, trip_id)
      ),
      -- Call by call, with the last event that was kept.
      walked as (
        select service_date, trip_name, trip_id, 0::bigint as place, 0 as seq, -1e18::double as last, false as is_kept
        from listed where place = 1
        union all
        select l.service_date, l.trip_name, l.trip_id, l.place, l.seq, if(is_kept, coalesce(departed, arrived, last), last),
          is_kept
        from (
          select l.*, w.last,
            is_counted and coalesce(departure_delay >= -600, true) and coalesce(arrived >= w.last - 120, true)
              and coalesce(departed >= coalesce(arrived, w.last) - 120, true) as is_kept
          from walked w join listed l using (service_date, trip_name, trip_id)
          where l.place = w.place + 1
        ) l
      ),
      counted as (
        select d.* from days d join walked w using (service_date, trip_name, trip_id, seq) where w.is_kept
      )
      select a.dep_delay_s::double as current, b.arr_delay_s::double as truth,
        greatest(0, epoch(b.arr_sched_utc) - epoch(a.dep_sched_utc))::double as horizon
      from counted a join counted b using (service_date, trip_name, trip_id)
      where b.seq - a.seq in (1, 2, 3, 5, 8, 12)
        and hash(a.trip_name || '#' || a.trip_id || a.service_date || a.seq) % 3 = 0
      order by service_date, trip_name, trip_id, a.seq, b.seq`);
    const facts = describePairs(table, pairs);
    expect(pairs.count).toBe(rows.length);
    expect([...facts.current]).toEqual(rows.map(({ current }) => current));
    expect([...facts.truth]).toEqual(rows.map(({ truth }) => truth));
    expect([...facts.horizonSeconds]).toEqual(rows.map(({ horizon }) => horizon));
  });

  it('gives finite features wherever the input is known', async () => {
    const { table } = await loadPlRail(db, sample, date('2025-05-01'), date('2025-05-12'));
    const { values, columns, count } = buildFeatures(table, choosePairs(table));
    expect(count).toBeGreaterThan(1000);
    for (const name of ['current_delay', 'steps', 'planned_seconds', 'hour', 'change_typical_legs', 'train_runs']) {
      const column = columns.indexOf(name);
      for (let row = 0; row < count; row++) expect(Number.isFinite(values[row * columns.length + column])).toBe(true);
    }
  });

  it('is predicted better than by persistence and by a table, on a sample of one month', async () => {
    const window = { from: date('2025-05-01'), testFrom: date('2025-05-22'), testTo: date('2025-05-31') };
    const results = await plRailLayout.evaluate(db, sample, window, { hasAblation: false, onStep: () => {} });
    for (const metrics of results.map((result) => buildPredictionMetrics(plRailLayout.buckets, result))) {
      const { meanError, againstPersistence } = metrics.errors[0]!;
      expect(againstPersistence.ours!).toBeLessThan(metrics.unit === 'raw' ? -0.2 : -0.05);
      expect(meanError.ours!).toBeLessThan(meanError['increment table']!);
      for (const { forecaster, covered } of metrics.intervals) {
        if (forecaster === 'ours') expect(covered!).toBeGreaterThan(0.78);
      }
    }
  });
});
