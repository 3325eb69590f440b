import { describe, expect, it } from 'vitest';
import {
  findProgress,
  type TripTimes,
  toTransferSide,
} from '../../../../pipeline/snapshots/transfer-model/trip-progress.ts';

/**
 * Four calls: scheduled arrivals at 0, 600, 1200 and 1800, departures a minute later. Observed times by call, or null.
 */
function times(arrivals: readonly (number | null)[], departures: readonly (number | null)[]): TripTimes {
  return {
    scheduledArrival: (call) => 600 * call,
    scheduledDeparture: (call) => 600 * call + 60,
    arrival: (call) => arrivals[call] ?? Number.NaN,
    departure: (call) => departures[call] ?? Number.NaN,
  };
}

const running = times([-30, 660, 1290, 1800], [90, 700, 1330, null]);
const arrivalAt = (call: number) => ({ first: 0, call, isDeparture: false });
const departureAt = (call: number) => ({ first: 0, call, isDeparture: true });

describe('the progress of a trip', () => {
  it.each([
    ['unknown before its first departure', arrivalAt(2), 50, null, 0],
    ['overdue at its first stop', arrivalAt(2), 80, null, 20],
    ['its departure', arrivalAt(2), 90, [0, true, 30, 0], 0],
    ['under way', arrivalAt(2), 500, [0, true, 30, 410], 0],
    ['overdue at the next stop', arrivalAt(2), 640, [0, true, 30, 550], 40],
    ['standing there', arrivalAt(2), 690, [1, false, 60, 30], 30],
    ['at the transfer stop', arrivalAt(2), 5000, [2, false, 90, 3710], 0],
    ['at the transfer stop, from which it has to depart', departureAt(2), 1300, [2, false, 90, 10], 40],
    ['it has departed', departureAt(2), 1400, [2, true, 70, 70], 0],
  ] as const)('%s', (_what, event, at, last, overdueSeconds) => {
    const progress = findProgress(running, event, at);
    const { call, isDeparture, delaySeconds, ageSeconds } = progress.last ?? {};
    expect(progress.last && [call, isDeparture, delaySeconds, ageSeconds]).toEqual(last);
    expect(progress.overdueSeconds).toBe(overdueSeconds);
  });

  it('skips calls without an observation', () => {
    const { last } = findProgress(times([], [90, null, null, null]), arrivalAt(3), 1500);
    expect(last).toMatchObject({ call: 0, delaySeconds: 30, ageSeconds: 1410 });
  });

  it('is a forecast until it arrives', () => {
    const forecast = { low: 0, median: 60, high: 120 };
    const sideAt = (at: number) => toTransferSide(findProgress(running, arrivalAt(2), at), 2, () => forecast);
    expect(sideAt(0)).toEqual({ forecast: null, observed: null, overdueSeconds: 0 });
    expect(sideAt(700)).toMatchObject({ forecast, observed: { delaySeconds: 40, ageSeconds: 0 } });
    expect(sideAt(1290)).toMatchObject({ forecast: { low: 90, median: 90, high: 90 } });
  });
});
