import { describe, expect, it } from 'vitest';
import { type CurveCases, fitBetaCurve } from '../../../../pipeline/snapshots/transfer-model/beta-curve.ts';

const forecasts = [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.995];
const casesOf = (heldOf: (forecast: number) => number, cases = 20_000): CurveCases[] =>
  forecasts.map((forecast) => ({ forecast: forecast * cases, held: heldOf(forecast) * cases, cases }));
const logOdds = (chance: number) => Math.log(chance / (1 - chance));
const toChance = (odds: number) => 1 / (1 + Math.exp(-odds));

describe('a beta curve', () => {
  it.each([
    ['the identity', (forecast: number) => forecast],
    ['a shift', (forecast: number) => toChance(0.5 + logOdds(forecast))],
    ['too certain forecasts', (forecast: number) => toChance(0.7 * logOdds(forecast))],
    ['another slope at each end', (p: number) => toChance(0.2 + 0.8 * Math.log(p) - 1.3 * Math.log(1 - p))],
  ])('finds %s', (_, heldOf) => {
    const curve = fitBetaCurve(casesOf(heldOf))!;
    for (const forecast of [0.01, 0.2, 0.6, 0.85, 0.99]) {
      expect(Math.abs(curve(forecast) - heldOf(forecast))).toBeLessThan(0.003);
    }
  });

  it('moves less with few cases', () => {
    const [few, many] = [2, 2000].map((cases) =>
      fitBetaCurve([{ forecast: 0.9 * cases, held: cases / 2, cases }])!(0.9),
    );
    expect(many).toBeCloseTo(0.5, 1);
    expect(few).toBeGreaterThan(0.7);
    expect(fitBetaCurve([])!(0.4)).toBeCloseTo(0.4, 9);
  });

  it('does not exist where outcomes fall while forecasts rise', () => {
    expect(fitBetaCurve(casesOf((forecast) => 1 - forecast))).toBeNull();
  });
});
