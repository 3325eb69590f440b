import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../pipeline/predictions/forest/seeded-random.ts';
import { type TransferRows, trainTransferModel } from '../../../../pipeline/predictions/transfers/train-transfers.ts';
import {
  type TransferFacts,
  type TransferSide,
  transferColumns,
  writeTransferFacts,
} from '../../../../pipeline/predictions/transfers/transfer-facts.ts';
import { estimateTransfer } from '../../../../pipeline/predictions/transfers/transfer-model.ts';

const unknown: TransferSide = { forecast: null, observed: null, overdueSeconds: null };
const observed = (delaySeconds: number): TransferSide => ({
  forecast: { low: delaySeconds - 60, median: delaySeconds, high: delaySeconds + 180 },
  observed: { delaySeconds, ageSeconds: 60 },
  overdueSeconds: 0,
});
const plain: TransferFacts = {
  plannedSeconds: 600,
  neededSeconds: 120,
  secondsToArrival: 900,
  hour: 8,
  dwellSeconds: 120,
  arrival: observed(0),
  departure: unknown,
};

/** Changes whose vehicles get up to four minutes later or earlier than they are. */
function makeRows(count: number, seed: number): TransferRows & { readonly facts: readonly TransferFacts[] } {
  const random = seededRandom(seed);
  const values = new Float32Array(count * transferColumns.length);
  const held = new Uint8Array(count);
  const facts = Array.from({ length: count }, (_, row): TransferFacts => {
    const [late, leaves] = [Math.floor(random() * 900), Math.floor(random() * 300)];
    const one = {
      ...plain,
      plannedSeconds: 180 + Math.floor(random() * 600),
      arrival: observed(late),
      departure: random() < 0.5 ? unknown : observed(leaves),
    };
    writeTransferFacts(one, values.subarray(row * transferColumns.length, (row + 1) * transferColumns.length));
    const margin = one.plannedSeconds - 120 + (one.departure === unknown ? 0 : leaves) - late;
    held[row] = margin + random() * 240 - random() * 240 >= 0 ? 1 : 0;
    return one;
  });
  return { values, held, facts, day: Int32Array.from({ length: count }, (_, row) => row % 9) };
}

describe('the facts of a change', () => {
  const read = (facts: TransferFacts) => {
    const row = new Float32Array(transferColumns.length);
    writeTransferFacts(facts, row);
    return Object.fromEntries(transferColumns.map((name, i) => [name, row[i]]));
  };

  it('are written with the time that is left', () => {
    const facts = { ...plain, arrival: observed(300), departure: { ...observed(60), overdueSeconds: 120 } };
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

  it('are unknown where nothing was observed', () => {
    const row = read({ ...plain, arrival: unknown });
    for (const [name, value] of Object.entries(row)) {
      if (/_(?:observed_age|low|median|high|overdue)$/.test(name) && !name.startsWith('left')) expect(value).toBeNaN();
    }
    expect(row).toMatchObject({ left_by_observed: 480, left_by_median: 480, independent_chance: 1 });
  });
});

describe('the estimate of a change', () => {
  const { model } = trainTransferModel(makeRows(12_000, 1));

  it('comes true as often as it says, on changes that it has not learnt', () => {
    const { facts, held } = makeRows(12_000, 2);
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

  it('says how many past cases it is based on', () => {
    expect(estimateTransfer(model, plain)!.sampleSize).toBeGreaterThanOrEqual(200);
  });

  it('is absent where nothing is known of either vehicle', () => {
    expect(estimateTransfer(model, { ...plain, arrival: unknown })).toBeNull();
    expect(estimateTransfer(model, { ...plain, arrival: { ...unknown, overdueSeconds: 300 } })).toBeNull();
    expect(estimateTransfer(model, { ...plain, arrival: unknown, departure: observed(0) })).not.toBeNull();
  });

  it('is the same for the same cases', () => {
    expect(trainTransferModel(makeRows(3000, 3))).toEqual(trainTransferModel(makeRows(3000, 3)));
  });

  it('needs three days', () => {
    const rows = makeRows(100, 1);
    expect(() => trainTransferModel({ ...rows, day: rows.day.map((day) => day % 2) })).toThrow(/2 days/);
  });
});
