import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../pipeline/predictions/forest/seeded-random.ts';
import { trainTransferModel } from '../../../../pipeline/predictions/transfers/train-transfers.ts';
import {
  type TransferFacts,
  transferColumns,
  writeTransferFacts,
} from '../../../../pipeline/snapshots/transfer-model/transfer-facts.ts';
import { estimateTransfer } from '../../../../pipeline/snapshots/transfer-model/transfer-model.ts';
import {
  readTransferModel,
  writeTransferModel,
} from '../../../../pipeline/snapshots/transfer-model/transfer-model-bytes.ts';
import { makeTransferRows, observedSide, plainFacts, unknownSide } from '../../../support/worlds/transfer-world.ts';

describe('the facts of a transfer', () => {
  const read = (facts: TransferFacts) => {
    const row = new Float32Array(transferColumns.length);
    writeTransferFacts(facts, row);
    return Object.fromEntries(transferColumns.map((name, i) => [name, row[i]]));
  };

  it('contain the time left', () => {
    const facts = {
      ...plainFacts,
      arrival: observedSide(300),
      departure: { ...observedSide(60), overdueSeconds: 120 },
    };
    expect(read(facts)).toMatchObject({
      spare_seconds: 480,
      seconds_to_arrival: 900,
      arrival_observed: 300,
      arrival_low: 240,
      arrival_high: 480,
      departure_overdue: 120,
      departure_median: 60,
      left_by_observed: 240,
      left_by_median: 240,
      left_by_overdue: 300,
      left_at_worst: 0,
      hour: 8,
      departure_dwell: 120,
    });
  });

  it('are unknown without observations', () => {
    const row = read({ ...plainFacts, arrival: unknownSide });
    for (const [name, value] of Object.entries(row)) {
      if (/_(?:observed_age|low|median|high)$/.test(name) && !name.startsWith('left')) expect(value).toBeNaN();
    }
    expect(row).toMatchObject({ left_by_observed: 480, left_by_median: 480, independent_chance: 1 });
  });
});

describe('the estimate of a transfer', () => {
  const { model } = trainTransferModel(makeTransferRows(12_000, 1));

  it('matches observed frequencies for transfers outside the training data', () => {
    const { facts, held } = makeTransferRows(12_000, 2);
    const bins = Array.from({ length: 5 }, () => ({ forecast: 0, held: 0, cases: 0 }));
    facts.forEach((one, row) => {
      const { probability } = estimateTransfer(model, one)!;
      const bin = bins[Math.min(4, Math.floor(probability * 5))]!;
      bin.forecast += probability;
      bin.held += held[row]!;
      bin.cases++;
    });
    for (const bin of bins) {
      expect(bin.cases).toBeGreaterThan(200);
      expect(Math.abs(bin.forecast - bin.held) / bin.cases).toBeLessThan(0.05);
    }
  });

  it('reports the number of past cases behind it', () => {
    expect(estimateTransfer(model, plainFacts)!.sampleSize).toBeGreaterThanOrEqual(200);
  });

  it('never decreases with more time for the transfer', () => {
    const random = seededRandom(4);
    for (let run = 0; run < 200; run++) {
      const facts = {
        ...plainFacts,
        arrival: observedSide(Math.floor(random() * 900)),
        departure: random() < 0.5 ? unknownSide : observedSide(Math.floor(random() * 600)),
      };
      let before = 0;
      for (let neededSeconds = 900; neededSeconds >= 0; neededSeconds -= 45) {
        const { probability } = estimateTransfer(model, { ...facts, neededSeconds })!;
        expect(probability).toBeGreaterThanOrEqual(before - 1e-6);
        before = probability;
      }
    }
  });

  it('is the same after storing the model', () => {
    const stored = readTransferModel(writeTransferModel(model))!;
    for (const one of makeTransferRows(50, 5).facts)
      expect(estimateTransfer(stored, one)).toEqual(estimateTransfer(model, one));
  });

  it('is absent if nothing is known of either vehicle', () => {
    expect(estimateTransfer(model, { ...plainFacts, arrival: unknownSide })).toBeNull();
    expect(estimateTransfer(model, { ...plainFacts, arrival: { ...unknownSide, overdueSeconds: 300 } })).toBeNull();
    expect(estimateTransfer(model, { ...plainFacts, arrival: unknownSide, departure: observedSide(0) })).not.toBeNull();
  });

  it('is the same for the same cases', () => {
    expect(trainTransferModel(makeTransferRows(3000, 3))).toEqual(trainTransferModel(makeTransferRows(3000, 3)));
  });

  it('needs three days', () => {
    const rows = makeTransferRows(100, 1);
    expect(() => trainTransferModel({ ...rows, day: rows.day.map((day) => day % 2) })).toThrow(/2 days/);
  });
});

describe('a stored model', () => {
  const { model } = trainTransferModel(makeTransferRows(1000, 6));
  const bytes = writeTransferModel(model);
  const header = (over: object) => {
    const end = bytes.indexOf(10);
    const line = JSON.stringify({ ...JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))), ...over });
    return Uint8Array.of(...new TextEncoder().encode(`${line}\n`), ...bytes.subarray(end + 1));
  };

  it.each([
    ['another version', { version: 99 }],
    ['other columns', { columns: ['spare_seconds'] }],
  ])('is not used if it has %s', (_what, over) => {
    expect(readTransferModel(header({}))).toEqual(model);
    expect(readTransferModel(header(over))).toBeNull();
  });

  it('must be complete', () => {
    expect(() => readTransferModel(Uint8Array.of(1, 2, 3))).toThrow(/not a transfer model/);
    expect(() => readTransferModel(header({ magic: 'TGOTHER' }))).toThrow(/not a transfer model/);
    expect(() => readTransferModel(bytes.subarray(0, -1))).toThrow(/truncated/);
  });
});
