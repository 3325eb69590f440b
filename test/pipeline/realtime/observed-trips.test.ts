import { describe, expect, it } from 'vitest';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { openLiveLine, reported } from './live-line.ts';

describe('an observed trip', () => {
  it.each([
    ['bus', '08:00:30!', '08:00:40', 8 * 3600],
    ['night', '23:50:30!', '23:50:40', 23 * 3600 + 50 * 60],
  ])('%s departs by the local clock, in any zone', async (trip, left, at, expected) => {
    const line = await openLiveLine();
    line.report(at, [reported(trip, [{ stop: 'a', times: [null, left] }])]);
    expect(line.state.listObserved('rt')).toMatchObject([{ tripId: trip, departureOfDay: expected }]);
  });

  it('departs at the same local time in summer', async () => {
    const line = await openLiveLine();
    // Hours behind the winter day of all cases: the sixth of July, eight in the morning.
    const hours = 126 * 24 + 7;
    const trip = { tripId: 'bus', startDate: '2026-07-06' as ServiceDate };
    line.report(`${hours}:00:40`, [reported(trip, [{ stop: 'a', times: [null, `${hours}:00:30!`] }])]);
    expect(line.state.listObserved('rt')).toMatchObject([{ tripId: 'bus', departureOfDay: 8 * 3600 }]);
  });
});
