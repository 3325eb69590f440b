import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parseMergeTable } from '../../pipeline/timetable/merging/merge-rules.ts';
import { ingestFeeds, mergeAll, temporaryFolder } from '../support/worlds/ingest.ts';
import { railFeed, regionFeed } from '../support/worlds/two-networks.ts';
import { runCommand } from './fake-world.ts';

it('lists merges by rule, and the rows of the table that do not fit', async () => {
  const dataDir = await temporaryFolder();
  const table = [
    'kind,action,id,other_id,note',
    'station,separate,rail:8103,region:at:32:100,two stations',
    'station,merge,rail:9999,region:at:32:100,gone',
    'station,merge,other:1,region:at:32:100,a source that is not loaded',
    'line,merge,rail:1,region:2,',
  ].join('\n');
  const merging = { ...mergeAll, ...parseMergeTable(table, 'merges.csv') };
  await ingestFeeds({ rail: railFeed, region: regionFeed }, { dataDir, settings: { merging } });
  await writeFile(
    path.join(dataDir, 'taktgeber.yaml'),
    'sources: [{ id: rail, gtfs: x.zip }, { id: region, gtfs: y.zip }]',
  );
  const { stdout } = await runCommand(['status', '--config', path.join(dataDir, 'taktgeber.yaml')], { dataDir });
  expect(stdout.split('\n').filter((line) => /[Mm]erged|^ {2}r/.test(line))).toEqual([
    'Merged stations by name and distance: 2',
    '  rail:8101 (Wien Hbf) is region:at:49:1349 (Wien Hauptbahnhof)',
    '  rail:8102 (Wien Meidling) is region:at:49:869 (Wien Meidling Bahnhof)',
    'Merged trips by number and times: 1',
    '  region:rb1 (Fernverkehr) is rail:ra1 (RJX)',
    'Not merged: merges.csv, row 4: unknown_kind (line,merge,rail:1,region:2,)',
    'Not merged: the table of merges, row 2: unknown_stop (rail:9999)',
  ]);
  const json = JSON.parse((await runCommand(['status', '--json'], { dataDir })).stdout);
  expect(json.timetable.merges.trips).toEqual([
    { rule: 'table', count: 0, samples: [] },
    { rule: 'number', count: 1, samples: ['region:rb1 (Fernverkehr) is rail:ra1 (RJX)'] },
    { rule: 'line', count: 0, samples: [] },
  ]);
});
