import { describe, expect, it } from 'vitest';
import { openDuckdb, sqlText } from '../../../../pipeline/effects/duckdb.ts';
import { withEngine } from '../../../../pipeline/lake/observations/write-parts.ts';
import { martFile } from '../../../../pipeline/lake/paths.ts';
import type { EpochDay, Instant } from '../../../../pipeline/model/service-time.ts';
import { publishModel, writeDelayModel } from '../../../../pipeline/predictions/learning/model-store.ts';
import type { LoggedPrediction } from '../../../../pipeline/predictions/live/prediction-log.ts';
import { storePredictions } from '../../../../pipeline/predictions/live/prediction-store.ts';
import { evaluateDay } from '../../../../pipeline/predictions/measured/evaluate-day.ts';
import { KIND_COUNT, trainDelayModel } from '../../../../pipeline/predictions/model/delay-model.ts';
import { writeTransferModel } from '../../../../pipeline/snapshots/transfer-model/transfer-model-bytes.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { dateOf, ENGINE, RECORDED, recordRuns } from '../../../support/worlds/recorded-world.ts';
import { FIRST_DAY, makeDatedTripTable } from '../../../support/worlds/run-world.ts';
import { makeTransferModel } from '../../../support/worlds/transfer-world.ts';

/** Trips that meet: stops of different lines form a station. Some events were not observed. */
const table = makeDatedTripTable(5, { days: 1, trains: 40, calls: 8, unknown: 0.1 });
const stationOf = (stop: number) => `h${stop % 4}`;

/** Predictions of all later calls after each departure, ten seconds too late. */
function logPredictionsOf(model: string): LoggedPrediction[] {
  const rows: LoggedPrediction[] = [];
  for (let one = 0; one < table.datedTripCount; one++) {
    const [start, end] = [table.callStart[one]!, table.callStart[one + 1]!];
    for (let from = start; from < end - 1; from++) {
      const madeAt = table.departureTime[from]! as Instant;
      if (Number.isNaN(madeAt)) continue;
      for (let to = from + 1; to < end; to++) {
        const median = (table.arrivalDelay[to]! || 0) + 10;
        rows.push({
          day: table.serviceDay[one]! as EpochDay,
          tripId: `t${table.train[one]}`,
          madeAt,
          model,
          fromPosition: from - start,
          observedAt: madeAt,
          isFromPosition: false,
          delaySeconds: table.departureDelay[from]!,
          position: to - start,
          low: median - 30,
          median,
          high: median + 30,
          priors: [1, 1, 1, 1, 1, 1],
        });
      }
    }
  }
  return rows;
}

async function publishTransferModel(dataDir: string): Promise<string> {
  const rows = { values: new Float32Array(400), current: new Float32Array(400), truth: new Float32Array(400) };
  const files = {
    delays: writeDelayModel(trainDelayModel(['a'], rows, rows, 1)),
    transfers: writeTransferModel(makeTransferModel()),
  };
  const { id } = await publishModel(dataDir, files, {
    sourceId: RECORDED,
    lastDay: dateOf(FIRST_DAY - 1),
    learntUntil: dateOf(FIRST_DAY - 1),
    trainedAt: '',
    featuresHash: 'h',
    learntPairs: 1,
    shifts: Array.from({ length: KIND_COUNT }, () => ({ down: 0, up: 0 })),
    comparison: { pairs: 1, persistence: 2, trained: 1, before: null, covered: 0.8, kept: 'trained' },
    transfers: { learntCases: 4000, held: 0.8 },
  });
  return id;
}

interface Row {
  readonly minutes: number;
  readonly status: string;
  readonly method: string | null;
  readonly probability_from: string | null;
  readonly bin: number | null;
  readonly pairs: number;
  readonly held: number | null;
  readonly sum: number | null;
  readonly squares: number | null;
}

async function measure(prepare: (dataDir: string) => Promise<string>): Promise<Row[]> {
  const dataDir = await temporaryFolder();
  const model = await prepare(dataDir);
  await recordRuns(dataDir, table, FIRST_DAY, { stationOf, isCancelled: (one) => one % 10 === 0 });
  const request = { dataDir, source: RECORDED, serviceDate: dateOf(FIRST_DAY), isForced: false, isDryRun: false };
  await withEngine(dataDir, ENGINE, async (db, folder) => {
    await storePredictions(db, dataDir, folder, RECORDED, logPredictionsOf(model));
    await evaluateDay(db, folder, { ...request, measuredAt: '2026-03-03T04:00:00.000Z' });
  });
  const db = await openDuckdb();
  try {
    const file = sqlText(martFile(dataDir, 'transfer_predictions', dateOf(FIRST_DAY).slice(0, 7)));
    return (await db.query(`select minutes_before as minutes, status, method, probability_from, bin, pairs, held, probability_sum as sum,
      squared_error_sum as squares from read_parquet(${file}) where source = 'live'`)) as unknown as Row[];
  } finally {
    db.close();
  }
}

const sumOf = (rows: readonly Row[], column: 'pairs' | 'held' | 'squares') =>
  rows.reduce((sum, row) => sum + (row[column] ?? 0), 0);

describe('the transfers of a day', () => {
  it.each([
    ['by the learnt model of that day', publishTransferModel, ['learnt']],
    ['by the predictions alone if the model is gone', async () => 'gone', ['independent']],
  ])('are measured %s', async (_how, prepare, methods) => {
    const rows = await measure(prepare);
    const measured = rows.filter(({ status }) => status === 'measured');
    expect([...new Set(measured.map(({ method }) => method))]).toEqual(methods);
    for (const { probability_from: from } of measured) expect(['live', 'history']).toContain(from);
    expect(new Set(rows.filter(({ status }) => status !== 'measured').map((row) => row.probability_from))).toEqual(
      new Set([null]),
    );
    expect([...new Set(rows.map(({ status }) => status))].sort()).toEqual([
      'cancelled',
      'measured',
      'not_estimated',
      'not_observed',
    ]);
    const totals = [60, 30, 15, 5].map((minutes) =>
      sumOf(
        rows.filter((row) => row.minutes === minutes),
        'pairs',
      ),
    );
    expect(new Set(totals).size).toBe(1);
    expect(totals[0]).toBeGreaterThan(50);
    for (const { bin, pairs, held, sum, squares } of measured) {
      expect(held).toBeLessThanOrEqual(pairs);
      expect(sum! / pairs).toBeGreaterThanOrEqual(bin! / 10 - 1e-9);
      expect(sum! / pairs).toBeLessThanOrEqual((bin! + 1) / 10 + 1e-9);
      expect(squares! / pairs).toBeLessThanOrEqual(1);
    }
    // Closer to the arrival more is known.
    const counts = [60, 5].map((minutes) =>
      sumOf(
        measured.filter((row) => row.minutes === minutes),
        'pairs',
      ),
    );
    expect(counts[0]).toBeLessThan(counts[1]!);
  });

  it('match their probabilities if the predictions are right', async () => {
    const rows = (await measure(async () => 'gone')).filter((row) => row.status === 'measured' && row.minutes === 5);
    expect(sumOf(rows, 'squares') / sumOf(rows, 'pairs')).toBeLessThan(0.05);
  });
});
