import { readProjectFile } from '../../effects/project-files.ts';
import { parseSampleLookups, type SampleLookups } from './lookups.ts';

/** Reads the reviewed facts from `data/lookups/sample/`; see its README for their origin. */
export async function readSampleLookups(): Promise<SampleLookups> {
  const [places, lines, lineCalls] = await Promise.all([
    readProjectFile('data/lookups/sample/places.csv'),
    readProjectFile('data/lookups/sample/lines.csv'),
    readProjectFile('data/lookups/sample/line-calls.csv'),
  ]);
  return parseSampleLookups({ places, lines, lineCalls });
}
