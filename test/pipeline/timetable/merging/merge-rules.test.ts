import { expect, it } from 'vitest';
import { parseMergeTable } from '../../../../pipeline/timetable/merging/merge-rules.ts';

const HEADER = 'kind,action,id,other_id,note';
const parse = (...rows: string[]) => parseMergeTable([HEADER, ...rows].join('\n'), 'merges.csv');

it('reads the decisions of the operator, including notes with commas', () => {
  const { decisions, problems } = parse(
    'station,merge,rail:8101,region:at:49:1349,seen on site, in May',
    '',
    'trip,separate,rail:ra1,region:rb1,',
  );
  expect(problems).toEqual([]);
  expect(decisions).toEqual([
    {
      kind: 'station',
      action: 'merge',
      one: { sourceId: 'rail', id: '8101' },
      other: { sourceId: 'region', id: 'at:49:1349' },
      row: 1,
    },
    {
      kind: 'trip',
      action: 'separate',
      one: { sourceId: 'rail', id: 'ra1' },
      other: { sourceId: 'region', id: 'rb1' },
      row: 3,
    },
  ]);
});

it.each([
  ['station,merge,rail:1', 'too_few_values'],
  ['line,merge,rail:1,region:1,', 'unknown_kind'],
  ['station,join,rail:1,region:1,', 'unknown_action'],
  ['station,merge,1,region:1,', 'bad_id'],
  ['station,merge,rail:,region:1,', 'bad_id'],
  ['station,merge,rail:1,rail:1,', 'same_id'],
])('refuses %s and keeps the others', (row, code) => {
  const { decisions, problems } = parse(row, 'station,merge,rail:1,region:1,');
  expect(problems.map((problem) => `${problem.code} ${problem.place}`)).toEqual([`${code} row 1`]);
  expect(decisions).toHaveLength(1);
});

it('refuses a file with another header', () => {
  expect(parseMergeTable('a,b\n1,2', 'merges.csv').problems.map(({ code }) => code)).toEqual(['bad_header']);
});
