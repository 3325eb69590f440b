import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { silentLog } from '../../../../pipeline/effects/log.ts';
import { compactObservations } from '../../../../pipeline/lake/observations/compact-observations.ts';
import { openObservations } from '../../../../pipeline/lake/observations/observation-store.ts';
import type { SourceId } from '../../../../pipeline/model/ids.ts';
import type { Instant, ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { batchAt, killDate, killStart } from './kill-batches.ts';

/*
 * The program that `observation-kill.test.ts` kills: writes responses without end, with a flush or a compaction after
 * some. Every stored response is logged to a separate file, after the store has confirmed it.
 */
const [dataDir, notes, from] = process.argv.slice(2) as [string, string, string];
const live = 'live' as SourceId;
const settings = { memoryLimit: '256MB', threads: 1 };

const store = await openObservations(dataDir, live, settings, { log: silentLog });
for (let index = Number(from); ; index++) {
  await store.append(batchAt(index));
  appendFileSync(notes, `${index}\n`);
  if (index % 5 === 4) await store.flush((killStart + index) as Instant);
  if (index % 20 === 19) await compactObservations(dataDir, live, killDate as ServiceDate, settings);
}
