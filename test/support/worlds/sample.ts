import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { readSampleLookups } from '../../../pipeline/sample/feed/read-sample-lookups.ts';
import { buildSampleFeed } from '../../../pipeline/sample/feed/sample-feed.ts';

/** The sample country of a day, in memory. */
export async function buildSample(today: string): Promise<ReadonlyMap<string, string>> {
  return buildSampleFeed({ today: today as ServiceDate }, await readSampleLookups());
}

const NASTY_FILES = ['routes.txt', 'trips.txt', 'stop_times.txt', 'frequencies.txt'];

/**
 * Whether a stop, trip or row is a test case that every reader must refuse, repair or tolerate: see `nasty-cases.ts`.
 */
export const isNasty = (text: string) => text.includes('pruef');

/** The sample without its nasty trips: their stops stay, without calls. */
export function withoutNastyTrips(feed: ReadonlyMap<string, string>): Map<string, string> {
  const keepHonest = (text: string) =>
    text
      .split('\n')
      .filter((line) => !isNasty(line))
      .join('\n');
  return new Map([...feed].map(([file, text]) => [file, NASTY_FILES.includes(file) ? keepHonest(text) : text]));
}
