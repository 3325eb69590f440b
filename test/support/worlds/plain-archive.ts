import { readProjectFile } from '../../../pipeline/effects/project-files.ts';

/** Mapping of an archive with the columns day, trip, stop, seq, time, late: the smallest possible mapping. */
export const plainMapping = await readProjectFile('test/fixtures/plain-archive.sql');
