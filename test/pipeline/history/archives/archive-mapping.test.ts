import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectPath } from '../../../../pipeline/effects/project-files.ts';
import { factNames, parseMapping } from '../../../../pipeline/history/archives/archive-mapping.ts';
import { findMapping, listMappings } from '../../../../pipeline/history/archives/find-mapping.ts';
import { listColumns } from '../../../../pipeline/history/archives/staging-columns.ts';
import { archiveFolder, importFile, writeArchive } from '../../../support/worlds/imported-world.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { bringIn, MAPPING, TRAIN, withColumns, withFacts } from '../../../support/worlds/made-up-archive.ts';

describe('mappings of the project', () => {
  it('are all valid', async () => {
    const names = await listMappings();
    expect(names).toEqual(['hu_rail', 'pl_rail', 'sample', 'swiss_ist_daten']);
    for (const name of names) expect((await findMapping(name, '/')).mapping.name).toBe(name);
  });

  it('are listed if an unknown mapping is requested', async () => {
    await expect(findMapping('austria', '/')).rejects.toThrow(
      'there is no mapping austria; there are hu_rail, pl_rail, sample, swiss_ist_daten, or pass your own .sql file',
    );
  });
});

it('reports a folder in place of a mapping', async () => {
  const folder = path.join(await temporaryFolder(), 'town.sql');
  await mkdir(folder);
  await expect(findMapping(folder, '/')).rejects.toThrow(/^mapping .*town\.sql cannot be read: EISDIR/);
});

describe('the settings of a mapping', () => {
  it('are a few lines, the rest has defaults', () => {
    expect(parseMapping('own', MAPPING)).toEqual({
      name: 'own',
      title: 'made up',
      source: 'own',
      timetable: null,
      format: 'csv',
      delimiter: ',',
      encodings: ['utf-8'],
      optionalColumns: [],
      zone: 'Europe/Vienna',
      clock: 'local',
      hasPositions: true,
      keep: 'last',
      firstCall: 'departure',
      otherCalls: 'arrival',
      earlySeconds: 7200,
      lateSeconds: 86_400,
      repairsDays: false,
      placeholders: ['always'],
      neverOtherRows: 10,
      sql: MAPPING,
    });
  });

  it('end with the comment block at the start of the file', () => {
    const mapping = MAPPING.replace('\n\nselect', '\n\n-- colour: red\nselect');
    expect(parseMapping('own', mapping).title).toBe('made up');
  });

  it.each<[text: string, names: readonly string[]]>([
    ['platform', ['platform']],
    ['platform, Track no', ['platform', 'Track no']],
    [`"a, b" ,c,"say ""x"""`, ['a, b', 'c', 'say "x"']],
  ])('name optional columns: %s', (text, names) => {
    expect(parseMapping('own', withFacts(MAPPING, `optional: ${text}`)).optionalColumns).toEqual(names);
  });

  it('accept a byte order mark and other line ends', () => {
    const mapping = `\uFEFF${withFacts(MAPPING, 'delimiter: \\t')}`.replaceAll('\n', '\r\n');
    expect(parseMapping('own', mapping)).toMatchObject({ delimiter: '\t', clock: 'local' });
  });

  const line = (name: string, text: string) => MAPPING.replace(new RegExp(`^-- ${name}: .*\n`, 'm'), text);
  it.each<[mapping: string, message: string]>([
    ['select 1', 'the line "-- format: …" is missing; it must be parquet or csv'],
    ['title: an archive\nsource: own\n', 'the line "-- format: …" is missing'],
    [withFacts(MAPPING, 'the best of all'), 'line 1: must be "-- name: value"; comments go below an empty line'],
    [withFacts(MAPPING, 'colour: red'), 'line 1: colour is not understood; understood are title, source'],
    [withFacts(MAPPING, 'zone: Europe/Vienna'), 'line 5: zone is there twice'],
    [line('title', ''), 'the line "-- title: …" is missing; it must be a text'],
    [line('title', '-- title:\n'), 'line 1: title is "", but must be a text'],
    [line('source', '-- source: Öbb\n'), 'line 2: source is "Öbb", but must be 1 to 40 of a-z, 0-9, "_" and "-"'],
    [withFacts(MAPPING, 'timetable: Öbb'), 'line 1: timetable is "Öbb", but must be 1 to 40 of a-z, 0-9, "_" and "-"'],
    [line('format', '-- format: xlsx\n'), 'line 3: format is "xlsx", but must be parquet or csv'],
    [
      line('format', '-- format: parquet\n-- delimiter: ;\n'),
      'line 4: delimiter applies to CSV, but the format is parquet',
    ],
    [line('format', '-- format: parquet\n-- encoding: utf-8\n'), 'line 4: encoding applies to CSV, but the format is'],
    [withFacts(MAPPING, 'delimiter: ;;'), 'line 1: delimiter is ";;", but must be one character, or \\t'],
    [
      withFacts(MAPPING, 'encoding: ebcdic'),
      'line 1: encoding is "ebcdic", but must be one or several, with commas, of',
    ],
    [withFacts(MAPPING, 'optional: a,,b'), 'line 1: optional is "a,,b", but must be names of columns, with commas'],
    [withFacts(MAPPING, 'optional: a, A'), 'line 1: optional is "a, A", but must be names of columns, with commas'],
    [withFacts(MAPPING, 'optional:'), 'line 1: optional is "", but must be names of columns, with commas'],
    [line('zone', '-- zone: Europe/Wien\n'), 'line 4: zone is "Europe/Wien", but must be a time zone such as'],
    [line('clock', '-- clock: zulu\n'), 'line 5: clock is "zulu", but must be local or utc or service'],
    [withFacts(MAPPING, 'order: chance'), 'line 1: order is "chance", but must be position or scheduled_time'],
    [withFacts(MAPPING, 'keep: all'), 'line 1: keep is "all", but must be first or last'],
    [withFacts(MAPPING, 'other_calls: both'), 'line 1: other_calls is "both", but must be arrival or departure'],
    [withFacts(MAPPING, 'first_call: none'), 'line 1: first_call is "none", but must be arrival or departure'],
    [
      withFacts(MAPPING, 'late_seconds: -1'),
      'line 1: late_seconds is "-1", but must be a whole number from 0 to 604800',
    ],
    [withFacts(MAPPING, 'early_seconds: 1.5'), 'line 1: early_seconds is "1.5", but must be a whole number'],
    [withFacts(MAPPING, 'repairs_days: 1'), 'line 1: repairs_days is "1", but must be true or false'],
    [withFacts(MAPPING, 'placeholders: sometimes'), 'line 1: placeholders is "sometimes", but must be one or several'],
    [withFacts(MAPPING, 'never_other_rows: 0'), 'line 1: never_other_rows is "0", but must be a whole number from 1'],
  ])('rejects %# with its line', (mapping, message) => {
    expect(() => parseMapping('own', mapping)).toThrow(message);
  });
});

describe('the query of a mapping', () => {
  const FIT = 'the mapping own does not fit days.csv: ';
  const without = (name: string) => MAPPING.replace(new RegExp(`^.*\\b${name},\n`, 'm'), '');
  const change = (columns: Readonly<Record<string, string>>) => withColumns(MAPPING, columns);
  const add = (sql: string) => MAPPING.replace('\nfrom archive', `,\n    ${sql}\nfrom archive`);

  it.each<[mapping: string, message: string]>([
    ...[
      ...['file_row_number', 'service_date', 'trip_id', 'position', 'arrival_scheduled', 'arrival_evidence'],
      ...['departure_scheduled', 'departure_evidence'],
    ].map((name): [string, string] => [without(name), `${FIT}the column ${name} is missing`]),
    [add("'x' as tripid"), `${FIT}the column tripid is unknown; the staging columns are file_row_number, service_date`],
    [withFacts(MAPPING, 'order: scheduled_time'), `${FIT}the column position has no use: the order is another`],
    [change({ trip_id: '5' }), `${FIT}the column trip_id is INTEGER, but must be VARCHAR`],
    [change({ is_cancelled: "'no'" }), `${FIT}the column is_cancelled is VARCHAR, but must be BOOLEAN`],
    [change({ position: 'true' }), `${FIT}the column position is BOOLEAN, but must be a number, or VARCHAR of one`],
    [change({ service_date: '20250328' }), `${FIT}the column service_date is INTEGER, but must be TIMESTAMP or DATE`],
    [change({ arrival_scheduled: '28800' }), `${FIT}the column arrival_scheduled is INTEGER, but must be TIMESTAMP or`],
    [
      change({ arrival_scheduled: 'arr::timestamp' }).replace('clock: local', 'clock: service'),
      `${FIT}the column arrival_scheduled is TIMESTAMP, but must be seconds of the service day, or VARCHAR such as`,
    ],
    [without('departure_delay_minutes'), `${FIT}of the columns departure_delay_seconds, departure_delay_minutes, dep`],
    [add('dep as departure_actual'), 'departure_actual one must be there, and there are 2'],
    [
      withFacts(
        without('arrival_delay_minutes').replace('arr as', 'arr as arrival_actual, arr as'),
        'repairs_days: true',
      ),
      `${FIT}repairs_days requires delays, not actual times`,
    ],
    [
      change({ trip_id: '5', lat: 'true' }),
      'the column trip_id is INTEGER, but must be VARCHAR; the column lat is BOOLEAN, but must be a number',
    ],
    [
      change({ trip_id: 'journey' }),
      `${FIT}line 10: Referenced column "journey" not found in FROM clause!; the archive`,
    ],
    [change({ trip_id: 'no_such(trip)' }), `${FIT}line 10: Scalar Function with name no_such does not exist!`],
    [change({ trip_id: 'trip as a' }), `${FIT}line 10: syntax error at or near "as"`],
    [change({ lat: 'trip::double' }), `${FIT}Could not convert string 't' to DOUBLE`],
    [`${MAPPING}where seq <> '2'`, 'the archive has 4 rows, and the query gives 3, of 3 of these'],
    [`${MAPPING}cross join range(2)`, 'the archive has 4 rows, and the query gives 8, of 4 of these'],
    [change({ skip_code: "'No Call'" }), 'skip_code is "No Call", but must consist of a-z, 0-9 and "_"'],
    [change({ skip_code: "'duplicate'" }), 'skip_code is "duplicate", but must consist of a-z, 0-9 and "_"'],
  ])('rejects %# with the reason', async (mapping, message) => {
    await expect(bringIn(TRAIN, mapping)).rejects.toThrow(expect.objectContaining({ name: 'MappingError' }));
    await expect(bringIn(TRAIN, mapping)).rejects.toThrow(message);
  });
});

describe('the page about mappings', () => {
  const readPage = () => readFile(projectPath('data/lookups/archives/README.md'), 'utf8');

  it('names every setting and every column', async () => {
    const page = (await readPage()).replaceAll('`departure_…`', '`departure_actual`');
    const columns = [...listColumns({ clock: 'local' }).keys()].filter((name) => !/^departure_delay/.test(name));
    for (const name of [...factNames, ...columns]) expect(page).toContain(`\`${name}\``);
  });

  it('has a working example', async () => {
    const [, mapping] = /```sql\n(.*?)```/s.exec(await readPage())!;
    const dataDir = await archiveFolder();
    const rows = 'day,trip,stop,seq,planned,late\n2025-03-28,t,A,1,2025-03-28 08:00:00,2\n';
    const file = await writeArchive(dataDir, 'trams.csv', rows);
    const { record } = await importFile({ dataDir, file, mapping: mapping! });
    expect(record).toMatchObject({ sourceId: 'my_town', rowsRead: 1, builtDays: 1, refusedInDays: {}, notes: {} });
  });
});
