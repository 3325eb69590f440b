import { expect, it } from 'vitest';
import { movingClock } from '../../../pipeline/effects/clock.ts';
import { realEffects } from '../../../pipeline/effects/effects.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';

it.each([
  [0, 40],
  [1, 40],
  [4, 10],
])('with a clock at %i times the speed, 40 ms are %i ms', async (speed, milliseconds) => {
  const { sleep } = realEffects({ clock: movingClock({ at: 0, since: Date.now(), speed }), log: silentLog });
  const began = performance.now();
  await sleep(40);
  // Timers may fire a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(milliseconds - 1);
});
