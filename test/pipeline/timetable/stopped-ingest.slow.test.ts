import { expect, it } from 'vitest';
import { findCurrentTimetableId } from '../../../pipeline/snapshots/timetable-files.ts';
import { ingestFeeds, silentLog, soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';

const laterFeed = withFiles(soundFeed, {
  'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll('08:', '10:'),
});

/** Ingests two sources with new content, and calls back at each reported step. */
function ingest(dataDir: string, attempt: number, signal: AbortSignal, onStep: (step: number) => void) {
  const warned: string[] = [];
  let step = 0;
  const log = { ...silentLog, progress: () => onStep(step++), warn: (text: string) => void warned.push(text) };
  const feed = withFiles(laterFeed, { 'notes.txt': `attempt ${attempt}` });
  const ended = ingestFeeds({ a: feed, b: feed }, { dataDir, isForced: true, settings: { signal }, log });
  return { ended, warned };
}

it('throws the reason when stopped at any time, without a failed source or a new snapshot', async () => {
  const dataDir = await temporaryFolder();
  await ingestFeeds({ a: soundFeed, b: soundFeed }, { dataDir });
  const before = await findCurrentTimetableId(dataDir);
  let steps = 0;
  await ingest(await temporaryFolder(), 0, new AbortController().signal, () => void steps++).ended;
  expect(steps).toBeGreaterThan(10);
  const reason = new Error('stopped');
  for (let last = 0; last < steps; last += Math.ceil(steps / 6)) {
    const stop = new AbortController();
    const { ended, warned } = ingest(dataDir, last, stop.signal, (step) => {
      if (step === last) stop.abort(reason);
    });
    await expect(ended).rejects.toBe(reason);
    expect([await findCurrentTimetableId(dataDir), warned]).toEqual([before, []]);
  }
});
