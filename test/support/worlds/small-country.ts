import type { SampleLookups } from '../../../pipeline/sample/feed/lookups.ts';
import { readSampleLookups } from '../../../pipeline/sample/feed/read-sample-lookups.ts';

/**
 * Lines for each realtime source: an underground in Vienna, a tram and a railway in Styria, a railway to Linz. The
 * longer S-Bahn is needed by the simulator, which schedules construction work on it at night.
 */
const LINES: readonly string[] = ['wien-u1', 'vor-s45', 'graz-1', 's1-steiermark', 'rex-westbahn'];

/** A part of the simulated country, so small that polling it takes milliseconds. */
export async function readSmallCountry(): Promise<SampleLookups> {
  const lookups = await readSampleLookups();
  return { ...lookups, lines: lookups.lines.filter(({ id }) => LINES.includes(id)) };
}
