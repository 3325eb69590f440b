import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import { buildTransferCases } from '../../pipeline/predictions/past-transfers/transfer-cases.ts';
import { loadPlRail } from '../evaluation/pl-rail-layout.ts';
import { evaluateTransfers } from '../evaluation/transfers/evaluate-transfers.ts';
import { pickSample, readTransfers } from '../evaluation/transfers/read-transfers.ts';
import { ruleOfDelays, sharesByPlannedMinutes, tableOfDelays } from '../evaluation/transfers/transfer-baselines.ts';
import { measureProbabilities } from '../evaluation/transfers/transfer-metrics.ts';
import { realData } from '../support/worlds/real-data.ts';

const archive = realData('delays/pl_rail_2025-02_2025-08.parquet');
const date = (text: string) => text as ServiceDate;

let db: Duckdb;

beforeAll(async () => {
  db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
});

afterAll(() => db.close());

describe('transfers between Polish trains', () => {
  // The protocol counts 17,922 pairs, because it includes implausible rows.
  it('normal split: the baselines have the errors of the protocol', async () => {
    const { table } = await loadPlRail(db, archive, date('2025-03-24'), date('2025-05-18'));
    const cases = buildTransferCases(table, pickSample(await readTransfers(db)));
    const list = (minutes: number, from: string, to: string) =>
      Int32Array.from(
        Array.from(cases.day.keys()).filter(
          (place) =>
            cases.secondsToArrival[place] === 60 * minutes &&
            cases.day[place]! >= toEpochDay(date(from)) &&
            cases.day[place]! <= toEpochDay(date(to)),
        ),
      );
    const metrics = [60, 30, 15, 5].map((minutes) => {
      const learn = list(minutes, '2025-04-03', '2025-05-04');
      const requested = list(minutes, '2025-05-05', '2025-05-18');
      const held = Uint8Array.from(requested, (place) => (cases.leftSeconds[place]! >= 0 ? 1 : 0));
      const brier = [sharesByPlannedMinutes, ruleOfDelays, tableOfDelays].map((baseline) =>
        measureProbabilities(baseline(cases, learn, requested), held).brier.toFixed(4),
      );
      return [requested.length, ...brier];
    });
    expect(metrics).toEqual([
      [17_916, '0.0278', '0.0297', '0.0242'],
      [17_916, '0.0278', '0.0268', '0.0204'],
      [17_916, '0.0278', '0.0225', '0.0166'],
      [17_916, '0.0278', '0.0184', '0.0130'],
    ]);
  });

  it('a model of a few days is better than the table and the rule, also for short transfers', async () => {
    const window = { from: date('2025-04-18'), testFrom: date('2025-05-05'), testTo: date('2025-05-09') };
    const { slices, estimated } = await evaluateTransfers(db, archive, window, () => {});
    expect(slices.map(({ minutes, slice }) => `${minutes} ${slice}`)).toEqual(
      [60, 30, 15, 5].flatMap((minutes) =>
        ['all', '8 min or less', 'live', 'history'].map((slice) => `${minutes} ${slice}`),
      ),
    );
    process.stdout.write(`${(100 * estimated).toFixed(1)} % have an estimate\n`);
    expect(estimated).toBeGreaterThanOrEqual(0.9);
    for (const { minutes, slice, pairs, forecasters } of slices) {
      const ours = forecasters.find(({ name }) => name === 'ours')!;
      const off = (100 * ours.maxDeviation).toFixed(1);
      process.stdout.write(`${minutes} ${slice}: ${pairs} pairs, Brier ${ours.brier.toFixed(4)}, off ${off} points\n`);
    }
    for (const { pairs, held, forecasters } of slices.filter(({ slice }) => slice === 'all' || slice.startsWith('8'))) {
      const brierOf = (name: string) => forecasters.find((one) => one.name === name)!.brier;
      expect(pairs).toBeGreaterThan(1000);
      expect(held).toBeGreaterThan(0.85);
      expect(brierOf('ours')).toBeLessThan(brierOf('table'));
      expect(brierOf('ours')).toBeLessThan(brierOf('rule'));
      expect(brierOf('ours')).toBeLessThan(brierOf('independence'));
    }
    // Nearer transfers are more certain.
    const all = slices.filter(({ slice }) => slice === 'all').map(({ forecasters }) => forecasters.at(-1)!.brier);
    expect(all).toEqual(all.toSorted((a, b) => b - a));
  });
});
