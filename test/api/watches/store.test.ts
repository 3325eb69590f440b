import { onTestFinished } from 'vitest';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { describeStore } from './store-cases.ts';

describeStore(async () => {
  const clock = fixedClock('2026-03-16T07:30:00Z');
  const store = await openWatchStore({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog });
  onTestFinished(() => store.close());
  return store;
});
