import { describe, expect, it } from 'vitest';
import { findMapping, listMappings } from '../../../pipeline/archives/find-mapping.ts';
import { parseMapping } from '../../../pipeline/archives/parse-mapping.ts';

const SOUND = `
title: an archive
source: own
file: { format: csv }
zone: Europe/Vienna
clock: local
serviceDate: day
columns:
  tripId: trip
position: seq
arrival: { scheduled: arr, delay: { column: arr_delay, unit: seconds }, evidence: { constant: observed_actual } }
departure: { scheduled: dep, actual: dep_real, evidence: { constant: observed_actual } }
`;

describe('mappings that come with the project', () => {
  it('are all sound', async () => {
    const names = await listMappings();
    expect(names).toEqual(['hu_rail', 'pl_rail', 'sample', 'swiss_ist_daten']);
    for (const name of names) expect((await findMapping(name, '/')).mapping.name).toBe(name);
  });

  it('are told when somebody asks for another', async () => {
    await expect(findMapping('austria', '/')).rejects.toThrow(
      'there is no mapping austria; there are hu_rail, pl_rail, sample, swiss_ist_daten, or name a file of your own',
    );
  });
});

describe('a mapping', () => {
  it('says in a few lines what its archive is, and the rest is understood', () => {
    expect(parseMapping('own', SOUND)).toMatchObject({
      name: 'own',
      file: { format: 'csv', delimiter: ',', encodings: ['utf-8'] },
      columns: { tripId: { kind: 'column', column: 'trip', parse: [], map: null } },
      position: { column: 'seq', minus: 0 },
      countedEvent: { firstCall: 'departure', otherCalls: 'arrival' },
      isCancelled: null,
      skip: [],
      unknown: [],
      duplicates: { keep: 'last', by: null },
      limits: { earlySeconds: 7200, lateSeconds: 86_400 },
      repairsDays: false,
    });
  });

  const line = (name: string, text: string) => SOUND.replace(new RegExp(`^${name}:.*$`, 'm'), text);
  const wrong: readonly [mapping: string, message: string][] = [
    ['- a\n- b', 'the mapping must be a group of keys'],
    ['a: [', 'this is no YAML'],
    [`${SOUND}colour: red`, 'colour is not understood; understood are title, source'],
    [line('title', ''), 'title must be a text'],
    [line('source', 'source: Öbb'), 'source must be 1 to 40 of a-z, 0-9, "_" and "-"'],
    [`${SOUND}timetable: Öbb`, 'timetable must be 1 to 40 of a-z, 0-9, "_" and "-"'],
    [line('file', 'file: { format: xlsx }'), 'file.format must be parquet or csv'],
    [line('file', 'file: { format: parquet, delimiter: ; }'), 'file.delimiter is of CSV, and the format is parquet'],
    [line('file', 'file: { format: csv, delimiter: ";;" }'), 'file.delimiter must be one character'],
    [line('file', 'file: { format: csv, encoding: [ebcdic] }'), 'file.encoding[0] must be utf-8 or latin-1'],
    [line('zone', 'zone: Europe/Wien'), 'zone is "Europe/Wien", but must be a time zone such as Europe/Vienna'],
    [line('clock', 'clock: zulu'), 'clock must be local or utc'],
    [line('serviceDate', ''), 'serviceDate must be a group of keys'],
    [line('serviceDate', 'serviceDate: { parse: "%d" }'), 'serviceDate must be the name of a column, or have one of'],
    [line('serviceDate', 'serviceDate: { constant: a, parse: "%d" }'), 'serviceDate.parse does not go together with'],
    [line('serviceDate', 'serviceDate: { serviceSeconds: a }'), 'serviceDate is no time'],
    [SOUND.replace('  tripId: trip', '  lineLabel: line'), 'columns.tripId must be a group of keys'],
    [SOUND.replace('  tripId: trip', '  tripId: trip\n  tripid: x'), 'columns.tripid is not understood'],
    [SOUND.replace('  tripId: trip', '  tripId: { column: a, otherwise: b }'), 'columns.tripId.otherwise needs a map'],
    [SOUND.replace('  tripId: trip', '  tripId: { column: a, map: {} }'), 'columns.tripId.map must say what stands'],
    [SOUND.replace('  tripId: trip', '  tripId: { firstOf: [] }'), 'columns.tripId.firstOf must be a list of at least'],
    [line('position', 'position: { column: a, minus: -1 }'), 'position.minus must be a whole number from 0 to 65535'],
    [SOUND.replace('unit: seconds', 'unit: hours'), 'arrival.delay.unit must be seconds or minutes'],
    [SOUND.replace('actual: dep_real, ', ''), 'departure must have either delay or actual'],
    [`${SOUND}countedEvent: { firstCall: departure }`, 'countedEvent.otherCalls must be arrival or departure'],
    [`${SOUND}isCancelled: { column: a }`, 'isCancelled must have either is or in'],
    [`${SOUND}skip: [{ code: No Call, when: { column: a, is: 1 } }]`, 'skip[0].code must be a word of a-z'],
    [`${SOUND}skip: [{ code: duplicate, when: { column: a, is: 1 } }]`, 'skip[0].code is a code with a meaning'],
    [`${SOUND}unknown: [{ value: none, where: always }]`, 'unknown[0].value must be a number'],
    [`${SOUND}unknown: [{ value: 0, where: sometimes }]`, 'unknown[0].where must be always or afterLastOther'],
    [`${SOUND}unknown: [{ value: 0, where: { neverOther: a, rows: 0 } }]`, 'unknown[0].where.rows must be a whole'],
    [`${SOUND}duplicates: { keep: all }`, 'duplicates.keep must be first or last'],
    [`${SOUND}limits: { lateSeconds: -1 }`, 'limits.lateSeconds must be a whole number from 0'],
    [`${SOUND}repairsDays: true`, 'repairsDays goes together with delays, not with actual times'],
  ];
  it.each(wrong)('%# is refused by the name of its key', (mapping, message) => {
    expect(() => parseMapping('own', mapping)).toThrow(message);
  });
});
