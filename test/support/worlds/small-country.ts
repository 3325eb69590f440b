import type { SampleLookups } from '../../../pipeline/sample/feed/lookups.ts';
import { readSampleLookups } from '../../../pipeline/sample/feed/read-sample-lookups.ts';

/**
 * Something for each realtime source: an underground in Vienna, a tram and a railway in Styria, a railway to Linz. A
 * longer S-Bahn is there because the simulator builds on one at night.
 */
const LINES: readonly string[] = ['wien-u1', 'vor-s45', 'graz-1', 's1-steiermark', 'rex-westbahn'];

/** A corner of the made-up country, so small that a poll of it takes milliseconds. */
export async function readSmallCountry(): Promise<SampleLookups> {
  const lookups = await readSampleLookups();
  return { ...lookups, lines: lookups.lines.filter(({ id }) => LINES.includes(id)) };
}
