import { noOptions } from '../../jobs/job/job.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { silentLog } from '../support/worlds/ingest.ts';

export const LEASE_SECONDS = 3;

export const effects = realEffects({ clock: systemClock, log: silentLog });
export const range = (from: string, to: string) => ({ ...noOptions, from: from as ServiceDate, to: to as ServiceDate });
export const tenDays = { ...range('2026-03-01', '2026-03-10'), isDistributed: true };

export const daysOf = (count: number) =>
  Array.from({ length: count }, (_, i) => `2026-03-${String(i + 1).padStart(2, '0')}`);
