import process from 'node:process';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { openDuckdb } from '../../../pipeline/effects/duckdb.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { startThread } from '../../../pipeline/effects/threads.ts';
import { LONG_QUERY, type Work } from './long-work-query.ts';

/*
 * Stops threads in the middle of their work and then exits, with a running statement: `stopping.test.ts` runs it. It
 * prints how each thread ended.
 */
const file = new URL('./long-work.js', import.meta.url);

async function stopIn(work: Work): Promise<string> {
  const stop = new AbortController();
  const effects = { clock: systemClock, log: silentLog };
  const thread = startThread<Work, number>(file, work, effects, { signal: stop.signal });
  await thread.ready;
  stop.abort();
  return thread.result.then(String, (error: Error) => error.message);
}

const works: readonly Work[] = ['query', 'query after the grace', 'computation'];
const ends = await Promise.all(works.map(stopIn));
for (const [index, work] of works.entries()) process.stdout.write(`${work}: ${ends[index]}\n`);
const db = await openDuckdb({ threads: 1 });
void db.query(LONG_QUERY).catch(() => {});
setTimeout(() => process.exit(7), 200);
