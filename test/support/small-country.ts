import type { SampleLookups } from '../../pipeline/sample/lookups.ts';
import { readSampleLookups } from '../../pipeline/sample/read-sample-lookups.ts';

/** An underground in Vienna, a tram and a railway in Styria, a railway to Linz: something for each realtime source. */
const LINES: readonly string[] = ['wien-u1', 'graz-4', 's1-steiermark', 'rex-westbahn'];

/** A corner of the made-up country, so small that a poll of it takes milliseconds. */
export async function readSmallCountry(): Promise<SampleLookups> {
  const lookups = await readSampleLookups();
  return { ...lookups, lines: lookups.lines.filter(({ id }) => LINES.includes(id)) };
}
