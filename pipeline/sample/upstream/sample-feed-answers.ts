import { localDate, type ServiceDate } from '../../model/service-time.ts';
import type { SampleLookups } from '../feed/lookups.ts';
import { buildSampleFeed } from '../feed/sample-feed.ts';
import { packSampleZip } from '../feed/write-sample-zip.ts';
import { SAMPLE_ZONE } from '../simulator/service-day.ts';
import type { AnswerSource } from './answer-source.ts';

const PATH = '/gtfs.zip';

/** The timetable behind the realtime, valid around the day on which it is asked for. */
export function sampleFeedAnswers(lookups: SampleLookups, { seed = 1 }: { readonly seed?: number } = {}): AnswerSource {
  // A cache of facts: packing takes seconds, and the feed of a day is the same for ever.
  let packed: { readonly today: ServiceDate; readonly body: Promise<Uint8Array> } | null = null;
  return async ({ method, path }, { at }) => {
    if (method !== 'GET' || path !== PATH) return null;
    const today = localDate(at, SAMPLE_ZONE);
    if (packed?.today !== today) packed = { today, body: packSampleZip(buildSampleFeed({ today, seed }, lookups)) };
    return { status: 200, headers: { 'content-type': 'application/zip' }, body: await packed.body };
  };
}
