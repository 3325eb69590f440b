import { describe, expect, test } from 'vitest';
import { definitions } from '../../../api/contract/definitions.ts';
import { type PlainSchema, toNotation, toTable } from './schema-notation.ts';
import { decidedTypes, otherTypes, v1Types, v2Types } from './specification-tables.ts';

// The internal schemas; published ones describe defaults in words.
const published = JSON.parse(JSON.stringify({ $defs: definitions })) as { $defs: Record<string, PlainSchema> };

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
  expect(Object.keys(published.$defs).sort()).toEqual(Object.keys(tables).sort());
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

test('every object of the document is closed', () => {
  const open: string[] = [];
  const visit = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return;
    const schema = value as PlainSchema;
    if (schema.type === 'object' && schema.properties && schema.additionalProperties !== false) open.push(path);
    for (const [key, member] of Object.entries(value)) visit(member, `${path}/${key}`);
  };
  visit(published, '');
  expect(open).toEqual([]);
});
