import type { Config } from '../../pipeline/config/load-config.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { assertConditions } from '../../pipeline/scale-out/object-store/assert-conditions.ts';
import { findPolledPublication, listUnpublishedJobs } from '../../pipeline/scale-out/object-store/waiting.ts';
import { findUnsharedLocks } from '../locks/unshared-locks.ts';
import { openConfiguredStore } from '../store/open-store.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

const ABOUT = 'object store';

/** Whether the object store can be read and written, and what waits for it; nothing without one. */
export async function checkStore({ config, effects, signal }: Examined): Promise<Finding[]> {
  if (config.store.url === null) return [];
  try {
    const context = await openConfiguredStore(config, effects, signal);
    const { store } = context;
    try {
      const content = Buffer.from('written by "taktgeber doctor"\n');
      await store.put('doctor.txt', content, null, signal);
      await store.get('doctor.txt', null, signal);
      await store.remove('doctor.txt', signal);
      await assertConditions(context);
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof ExternalError || error instanceof UsageError)) throw error;
    return [
      bad(
        ABOUT,
        error.message,
        'correct that or the settings store.*; until then jobs fail and the API serves the last data',
      ),
    ];
  }
  const reachable = good(ABOUT, `${config.store.url} can be read and written`);
  return [reachable, ...checkLocks(config), ...(await checkWaiting(config.dataDir))];
}

function checkLocks(config: Config): Finding[] {
  const unshared = config.schedule.isEnabled ? findUnsharedLocks(config) : null;
  return unshared === null ? [] : [warning(ABOUT, unshared.sentence, unshared.remedy)];
}

async function checkWaiting(dataDir: string): Promise<Finding[]> {
  const waiting = await listUnpublishedJobs(dataDir);
  const polled = await findPolledPublication(dataDir);
  const findings: Finding[] = [];
  if (waiting.length > 0) {
    const sentence = `output of ${waiting.join(', ')} is not published yet`;
    findings.push(warning(ABOUT, sentence, 'the next job publishes it; or run "taktgeber store publish"'));
  }
  if (polled?.trouble) {
    const since = polled.publishedAt ?? 'the start of the poller';
    const sentence = `${polled.waitingFiles ?? 'some'} polled files wait since ${since}: ${polled.trouble}`;
    findings.push(warning(ABOUT, sentence, 'they are published once the store responds'));
  }
  return findings;
}
