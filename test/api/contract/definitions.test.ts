import { describe, expect, test } from 'vitest';
import { definitions } from '../../../api/contract/definitions.ts';
import { type PlainSchema, toNotation, toTable } from './schema-notation.ts';
import { decidedTypes, otherTypes, v1Types, v2Types } from './specification-tables.ts';

/** Types that the specification writes inside another type; they have names for the generators of clients. */
const partNames = new Set([
  'AffectedLine',
  'TimeWindow',
  'DisruptionLink',
  'PushKeys',
  'PushSubscription',
  'WebPushDelivery',
  'PollDelivery',
  'WatchedLine',
  'WatchRepeat',
  'StopPlace',
  'CoordPlace',
  'Avoidance',
  'LegAlternatives',
  'TimetableValidity',
  'Deprecation',
  'PunctualityDefinition',
  'HistoryPeriod',
  'HistoryTotals',
  'HistoryDay',
  'HistoryLine',
  'HistoryHour',
  'V1Freshness',
  'V1Component',
  'V1Measurement',
  'V1Source',
  'V1HistoryTotals',
  'V1HistoryDay',
  'V1HistoryLine',
  'V1HistoryHour',
  'V1OfficialRealtime',
  'V1PunctualityDefinition',
  'V1Prediction',
  'V1Vehicle',
  'V1MetroDeparture',
  'V1Announcement',
  'V1NetworkMap',
]);

// The internal schemas; published ones describe defaults in words.
const named = JSON.parse(JSON.stringify(definitions)) as Record<string, PlainSchema>;
const published = { $defs: expandParts(named) as Record<string, PlainSchema> };

/** Writes the parts in place of the references to them, as the specification does. */
function expandParts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expandParts);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...members } = value as PlainSchema;
  const part = $ref?.replace('#/$defs/', '');
  if (part !== undefined && partNames.has(part)) return expandParts({ ...named[part], ...members });
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expandParts(member)]));
}

describe('every type has exactly the members of its table', () => {
  for (const [name, table] of Object.entries({ ...v2Types, ...decidedTypes, ...v1Types })) {
    test(name, () => {
      expect(toTable(published.$defs[name]!)).toEqual(table);
    });
  }
  for (const [name, notation] of Object.entries(otherTypes)) {
    test(name, () => {
      expect(toNotation(published.$defs[name]!)).toBe(notation);
    });
  }
});

test('every type has a table', () => {
  const tables = { ...v2Types, ...decidedTypes, ...v1Types, ...otherTypes };
  expect(Object.keys(named).sort()).toEqual([...Object.keys(tables), ...partNames].sort());
});

test('members are in the order of the specification', () => {
  for (const [name, table] of Object.entries(v2Types)) {
    expect(Object.keys(published.$defs[name]!.properties!), name).toEqual(Object.keys(table));
  }
});

test('every reference has a target, and every type can be referenced', () => {
  const text = JSON.stringify(definitions);
  const targets = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map((match) => match[1]!);
  expect(targets.length).toBeGreaterThan(50);
  for (const target of targets) {
    expect(target).toMatch(/^#\/\$defs\/\w+$/);
    expect(Object.keys(definitions)).toContain(target.slice('#/$defs/'.length));
  }
});

test('no object below the members of a type is without a name, which generators would have to invent', () => {
  const anonymous: string[] = [];
  const visit = (value: unknown, path: string, isRoot: boolean) => {
    if (typeof value !== 'object' || value === null) return;
    if (!isRoot && (value as PlainSchema).properties) anonymous.push(path);
    for (const [key, member] of Object.entries(value)) if (key !== 'not') visit(member, `${path}/${key}`, false);
  };
  for (const [name, schema] of Object.entries(named)) visit(schema, name, true);
  expect(anonymous).toEqual([]);
});

test('every object of the document is closed', () => {
  const open: string[] = [];
  const visit = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return;
    const schema = value as PlainSchema;
    if (schema.type === 'object' && schema.properties && schema.additionalProperties !== false) open.push(path);
    for (const [key, member] of Object.entries(value)) if (key !== 'not') visit(member, `${path}/${key}`);
  };
  visit(published, '');
  expect(open).toEqual([]);
});
