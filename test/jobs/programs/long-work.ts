import process from 'node:process';
import { openDuckdb } from '../../../pipeline/effects/duckdb.ts';
import { serveThread } from '../../../pipeline/effects/threads.ts';
import { LONG_QUERY, type Work } from './long-work-query.ts';

serveThread(import.meta.url, async (work: Work, { signal, engineSignal, reportReady }) => {
  if (work === 'computation') {
    reportReady(work);
    for (let i = 0; ; i++) if (i < 0) process.stdout.write('never');
  }
  const db = await openDuckdb({ threads: 1, signal: work === 'query' ? signal : engineSignal });
  const rows = db.query(LONG_QUERY);
  reportReady(work);
  try {
    return Number((await rows)[0]);
  } finally {
    db.close();
  }
});
