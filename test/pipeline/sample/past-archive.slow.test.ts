import { describe, expect, it } from 'vitest';
import { parseServiceTime, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import { formatCsv, parseCsv } from '../../../pipeline/sample/feed/csv.ts';
import type { SampleLine } from '../../../pipeline/sample/feed/lookups.ts';
import { isMeasured } from '../../../pipeline/sample/feed/publishers.ts';
import { readSampleLookups } from '../../../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../../../pipeline/sample/simulator/create-simulator.ts';
import { buildNetwork } from '../../../pipeline/sample/simulator/network.ts';
import { buildPastDay } from '../../../pipeline/sample/simulator/past-day.ts';
import { planServiceDay } from '../../../pipeline/sample/simulator/service-day.ts';
import { buildPastArchive } from '../../../pipeline/sample/write-past.ts';
import { at, collectTrips, runKey } from './simulator/day-sweep.ts';

const lookups = await readSampleLookups();
const simulator = createSimulator(lookups);
const THURSDAY = '2026-11-19' as ServiceDate;
// Enough to contain examples of all kinds, and quickly computed.
const isSwept = (line: SampleLine) => line.agency === 'graz' || line.mode === 'rail';
const day = simulator.pastDay(THURSDAY, isMeasured);

type ArchiveRow = Readonly<Record<string, string>>;
const rows: readonly ArchiveRow[] = parseCsv(
  formatCsv(buildPastArchive(day), { hasByteOrderMark: false, lineEnd: '\n' }),
);
const rowsOfTrip = groupByTrip(rows);

function groupByTrip(list: readonly ArchiveRow[]): Map<string, ArchiveRow[]> {
  const trips = new Map<string, ArchiveRow[]>();
  for (const row of list) trips.set(row.trip_id!, [...(trips.get(row.trip_id!) ?? []), row]);
  return trips;
}

describe('the archive of a past day', () => {
  it('does not depend on earlier calls, but on the seed', () => {
    const restarted = createSimulator(lookups);
    restarted.stateAt(at('2026-12-24T12:00:00+01:00'));
    restarted.pastDay('2026-11-01' as ServiceDate, isMeasured);
    expect(restarted.pastDay(THURSDAY, isMeasured)).toEqual(day);
    expect(createSimulator(lookups, { seed: 2 }).pastDay(THURSDAY, isMeasured)).not.toEqual(day);
  });

  it('has one row per call of the day on recorded lines', () => {
    expect(rows).toHaveLength(day.trips.reduce((sum, { calls }) => sum + calls.length, 0));
    expect(new Set(rows.map(({ trip_id, stop_sequence }) => `${trip_id} ${stop_sequence}`)).size).toBe(rows.length);
    expect(new Set(rows.map(({ service_date }) => service_date))).toEqual(new Set([THURSDAY]));
    expect(new Set(rows.map(({ product }) => product))).toEqual(
      new Set(['subway', 'sBahn', 'regionalTrain', 'train', 'tram']),
    );
  });

  it('agrees with the realtime reports of the day', () => {
    const swept = collectTrips(simulator, THURSDAY, ['2026-11-19T03:30:00+01:00', '2026-11-20T08:00:00+01:00'], 870);
    const past = simulator.pastDay(THURSDAY, isSwept).trips;
    expect(past.length).toBeGreaterThan(500);
    for (const { isCallReported, isFrequencyTrip, ...trip } of past) {
      const { vehicle: _seen, isDataLost, ...watched } = swept.get(runKey(trip))!;
      const { vehicle: _none, isDataLost: isNeverSeen, ...known } = trip;
      expect(known).toEqual(watched);
      if (isNeverSeen) expect(isDataLost).toBe(true);
    }
  });

  it('has no times for cancelled trips and calls', () => {
    const cancelled = day.trips.filter(({ state }) => state === 'cancelled');
    expect(cancelled.length).toBeGreaterThan(5);
    for (const { tripId, calls, isFrequencyTrip } of cancelled) {
      const reported = (rowsOfTrip.get(tripId) ?? []).map((row) =>
        [row.is_cancelled, row.arrival, row.departure].join(),
      );
      if (!isFrequencyTrip) expect(reported).toEqual(calls.map(() => 'true,,'));
    }
    const skipped = [...rowsOfTrip.values()].filter(
      (trip) => trip.some((row) => row.is_cancelled === 'true') && trip.some((row) => row.is_cancelled === 'false'),
    );
    expect(skipped.length).toBeGreaterThan(0);
  });

  it('has no unobserved times, but early calls, extra trips and changed platforms', () => {
    const isUnseen = (row: ArchiveRow) => row.is_cancelled === 'false' && row.arrival === '' && row.departure === '';
    const share = rows.filter(isUnseen).length / rows.length;
    expect(share).toBeGreaterThan(0.01);
    expect(share).toBeLessThan(0.06);
    const seconds = (text: string | undefined) => parseServiceTime(text!) ?? Number.NaN;
    expect(rows.filter((row) => seconds(row.arrival) < seconds(row.scheduled_arrival)).length).toBeGreaterThan(1000);
    expect(rows.some((row) => row.is_added === 'true')).toBe(true);
    const moved = day.trips.flatMap(({ calls }) =>
      calls.filter(({ platform, scheduledPlatform }) => platform !== scheduledPlatform),
    );
    expect(moved.length).toBeGreaterThan(10);
  });

  it('lacks events during an outage, unless the trip was still reported afterwards', () => {
    const planned = planServiceDay(buildNetwork(lookups, 1), THURSDAY, 1);
    const [from, to] = [8 * 3600, 9 * 3600];
    const outages = [{ lineId: 'wien-u1', fromSeconds: from, toSeconds: to }];
    const isU1 = ({ id }: SampleLine) => id === 'wien-u1';
    const past = buildPastDay({ ...planned, outages }, { seed: 1, lookBackSeconds: 900, isOnRecord: isU1 });
    const seen = past.trips.filter(({ state, isDataLost }) => state !== 'cancelled' && !isDataLost);
    let lost = 0;
    for (const { calls, isCallReported } of seen) {
      const end = calls.at(-1)!.arrival - planned.start + 900;
      calls.forEach((call, i) => {
        const over = (i === calls.length - 1 ? call.arrival : call.departure) - planned.start;
        const isLost = over >= from && end < to;
        expect(isCallReported[i]).toBe(!isLost);
        if (isLost) lost += 1;
      });
    }
    expect(lost).toBeGreaterThan(50);
  });

  it('is complete after the last arrival, past midnight', () => {
    expect(day.endsAt).toBeGreaterThan(at('2026-11-20T00:30:00+01:00'));
    const times = day.trips.flatMap(({ state, calls }) => (state === 'cancelled' ? [] : [calls.at(-1)!.arrival]));
    expect(Math.max(...times)).toBe(day.endsAt);
  });
});
