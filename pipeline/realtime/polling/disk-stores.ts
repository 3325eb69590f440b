import type { Log } from '../../effects/log.ts';
import { storeRawAnswer } from '../../lake/raw-answers.ts';
import { readDemands } from '../../snapshots/vehicle-demand-files.ts';
import { spendBudget } from './daily-budget.ts';
import type { PollStores } from './poll-source.ts';
import { readStandby } from './standby.ts';

/** The poller's stores in a data folder. */
export function diskStores(dataDir: string, effects: { readonly log: Log }): PollStores {
  return {
    spendBudget: (source, limit, now) => spendBudget(dataDir, source, limit, now, effects),
    readStandby: () => readStandby(dataDir),
    readDemands: (now) => readDemands(dataDir, now),
    storeRaw: (answer) => storeRawAnswer(dataDir, answer),
  };
}
