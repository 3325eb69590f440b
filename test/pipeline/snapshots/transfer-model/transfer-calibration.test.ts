import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../pipeline/predictions/forest/seeded-random.ts';
import {
  calibrateChance,
  calibrateTransfers,
  type PredictionOutcomes,
  shiftCalibration,
  type TransferCalibration,
} from '../../../../pipeline/snapshots/transfer-model/transfer-calibration.ts';

/** Forecasts from 0 to 1, each of which is right with its own probability. */
function makeOutcomes(count: number, seed: number, chanceOf: (forecast: number) => number, minutes = 30) {
  const random = seededRandom(seed);
  const forecast = Float32Array.from({ length: count }, () => random());
  return {
    forecast,
    held: Uint8Array.from(forecast, (one) => (random() < chanceOf(one) ? 1 : 0)),
    secondsToArrival: new Float32Array(count).fill(60 * minutes),
    isLive: new Uint8Array(count).fill(1),
  };
}

const repeat = (forecast: number, cases: number, held: number, minutes = 30, isLive = true): PredictionOutcomes => ({
  forecast: new Float32Array(cases).fill(forecast),
  held: Uint8Array.from({ length: cases }, (_, i) => (i < held ? 1 : 0)),
  secondsToArrival: new Float32Array(cases).fill(60 * minutes),
  isLive: new Uint8Array(cases).fill(isLive ? 1 : 0),
});

const join = (parts: readonly PredictionOutcomes[]): PredictionOutcomes => ({
  forecast: Float32Array.from(parts.flatMap(({ forecast }) => [...forecast])),
  held: Uint8Array.from(parts.flatMap(({ held }) => [...held])),
  secondsToArrival: Float32Array.from(parts.flatMap(({ secondsToArrival }) => [...secondsToArrival])),
  isLive: Uint8Array.from(parts.flatMap(({ isLive }) => [...isLive])),
});

const calibrateAt = (
  ...[calibration, secondsToArrival, forecast, isLive = true]: [TransferCalibration, number, number, boolean?]
) => calibrateChance(calibration, { secondsToArrival, isLive }, forecast);

describe('the calibration of transfers', () => {
  it('finds how often forecasts are right', () => {
    const calibration = calibrateTransfers(makeOutcomes(40_000, 1, (forecast) => forecast ** 2));
    for (let forecast = 0.05; forecast < 1; forecast += 0.05) {
      expect(Math.abs(calibrateAt(calibration, 1800, forecast)!.probability - forecast ** 2)).toBeLessThan(0.03);
    }
  });

  it('counts the past cases of the nearest cell', () => {
    const calibration = calibrateTransfers(join([repeat(0.25, 398, 99), repeat(0.75, 998, 749)]));
    const calibrated = [0, 0.25, 0.4, 0.5, 0.6, 0.75, 1].map((forecast) => calibrateAt(calibration, 1800, forecast)!);
    expect(calibrated.map(({ probability }) => Number(probability.toFixed(4)))).toEqual([
      0.25, 0.25, 0.4, 0.5, 0.6, 0.75, 0.75,
    ]);
    expect(calibrated.map(({ sampleSize }) => sampleSize)).toEqual([398, 398, 398, 998, 998, 998, 998]);
  });

  it('merges small cells, and those that decrease while forecasts increase', () => {
    const small = calibrateTransfers(join([repeat(0.25, 100, 20), repeat(0.35, 100, 40), repeat(0.75, 500, 400)]));
    expect(calibrateAt(small, 1800, 0.2)).toEqual({ probability: 61 / 202, sampleSize: 200 });
    const falling = calibrateTransfers(join([repeat(0.25, 300, 250), repeat(0.75, 300, 50)]));
    expect(calibrateAt(falling, 1800, 0.9)).toEqual({ probability: 301 / 602, sampleSize: 600 });
  });

  it('moves the cells half way to a curve, but only long before the arrival', () => {
    // All but a small cell are right.
    const outcomes = (minutes: number) =>
      join([
        ...[0.15, 0.25, 0.35, 0.45, 0.65, 0.75].map((one) => repeat(one, 1000, 1000 * one, minutes)),
        repeat(0.55, 248, 154, minutes),
      ]);
    const early = calibrateAt(calibrateTransfers(outcomes(45)), 2700, 0.55)!;
    const late = calibrateAt(calibrateTransfers(outcomes(5)), 300, 0.55)!;
    expect(late.probability).toBeCloseTo(0.62, 6);
    expect(early.probability).toBeCloseTo((0.62 + 0.555) / 2, 2);
    expect([early.sampleSize, late.sampleSize]).toEqual([248, 248]);
  });

  it('separates bands of the time to the arrival', () => {
    const calibration = calibrateTransfers(join([repeat(0.5, 998, 799, 5), repeat(0.5, 998, 299, 60)]));
    expect(calibrateAt(calibration, 300, 0.5)?.probability).toBeCloseTo(0.8, 9);
    expect(calibrateAt(calibration, 3600, 0.5)?.probability).toBeCloseTo(0.3, 9);
    expect(calibrateAt(calibration, 1800, 0.5)).toBeNull();
  });

  it('is separate for vehicles known only from past days', () => {
    const calibration = calibrateTransfers(join([repeat(0.5, 998, 799), repeat(0.5, 998, 299, 30, false)]));
    expect(calibrateAt(calibration, 1800, 0.5)?.probability).toBeCloseTo(0.8, 9);
    expect(calibrateAt(calibration, 1800, 0.5, false)?.probability).toBeCloseTo(0.3, 9);
    // Without its own cases it equals that of the others.
    const live = calibrateTransfers(repeat(0.5, 998, 799));
    expect(calibrateAt(live, 1800, 0.5, false)?.probability).toBeCloseTo(0.8, 9);
  });

  it('is shifted to the share of the last days, less with few outcomes, and only in their band', () => {
    const calibration = calibrateTransfers(join([repeat(0.8, 998, 799), repeat(0.8, 998, 799, 60)]));
    const shifted = (cases: number) => shiftCalibration(calibration, repeat(0.8, cases, 0.9 * cases));
    expect(calibrateAt(shifted(20_000), 1800, 0.8)?.probability).toBeCloseTo(0.9, 2);
    const little = calibrateAt(shifted(50), 1800, 0.8)!.probability;
    expect(little).toBeCloseTo(0.85, 2);
    expect(calibrateAt(shifted(20_000), 3600, 0.8)?.probability).toBeCloseTo(0.8, 9);
    expect(shiftCalibration(calibration, repeat(0.8, 0, 0))).toEqual(calibration);
  });
});
