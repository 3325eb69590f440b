import type { ColumnExpression, Condition, Expression } from './archive-mapping.ts';
import { type Field, fail, isAbsent, readList, readMembers, readOr, readScalar, readText } from './read-fields.ts';

const EXPRESSION_KEYS = [
  'column',
  'parse',
  'map',
  'otherwise',
  'constant',
  'join',
  'with',
  'serviceSeconds',
  'firstOf',
] as const;

type Members = Record<(typeof EXPRESSION_KEYS)[number], Field>;

/** What each kind of expression consists of, the key that tells it first. */
const kinds: readonly { readonly keys: readonly (keyof Members)[]; read(members: Members): Expression }[] = [
  { keys: ['column', 'parse', 'map', 'otherwise'], read: readColumn },
  { keys: ['constant'], read: ({ constant }) => ({ kind: 'constant', value: readScalar(constant) }) },
  {
    keys: ['join', 'with'],
    read: (members) => ({
      kind: 'join',
      columns: readList(members.join).map(readText),
      with: readOr(members.with, '', readScalar),
    }),
  },
  {
    keys: ['serviceSeconds'],
    read: ({ serviceSeconds }) => ({ kind: 'serviceSeconds', column: readText(serviceSeconds) }),
  },
  { keys: ['firstOf'], read: ({ firstOf }) => ({ kind: 'firstOf', of: readList(firstOf).map(parseValue) }) },
];

/** Reads the expression of a text, a number or a date. */
export function parseValue(field: Field): Expression {
  const expression = parseExpression(field);
  if (expression.kind === 'serviceSeconds') fail(field, 'is no time, so serviceSeconds does not fit');
  return expression;
}

/**
 * Reads the expression of a time: the name of a column, or a group of keys.
 * @throws MappingError
 */
export function parseExpression(field: Field): Expression {
  if (typeof field.value === 'string') return plainColumn(readText(field));
  const members = readMembers(field, EXPRESSION_KEYS);
  const kind = kinds.find(({ keys }) => !isAbsent(members[keys[0]!]));
  if (!kind) fail(field, `must be the name of a column, or have one of ${kinds.map(({ keys }) => keys[0]).join(', ')}`);
  for (const name of EXPRESSION_KEYS) {
    if (!isAbsent(members[name]) && !kind.keys.includes(name)) {
      fail(members[name], `does not go together with ${kind.keys[0]}`);
    }
  }
  return kind.read(members);
}

export function plainColumn(column: string): ColumnExpression {
  return { kind: 'column', column, parse: [], map: null, otherwise: null };
}

function readColumn({ column, parse, map, otherwise }: Members): ColumnExpression {
  if (isAbsent(map) && !isAbsent(otherwise)) fail(otherwise, 'needs a map beside it');
  return {
    kind: 'column',
    column: readText(column),
    parse: readFormats(parse),
    map: readOr(map, null, readMap),
    otherwise: readOr<string | null>(otherwise, null, readScalar),
  };
}

function readFormats(field: Field): readonly string[] {
  return isAbsent(field) ? [] : readList(field, true).map(readText);
}

function readMap(field: Field): Readonly<Record<string, string>> {
  const { value, path } = field;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(field, 'must say what stands for what');
  const entries = Object.entries(value).map(([from, to]) => [from, readScalar({ path: `${path}.${from}`, value: to })]);
  if (entries.length === 0) fail(field, 'must say what stands for what');
  return Object.fromEntries(entries);
}

/** @throws MappingError */
export function parseCondition(field: Field): Condition {
  const members = readMembers(field, ['column', 'is', 'in']);
  if (isAbsent(members.is) === isAbsent(members.in)) fail(field, 'must have either is or in');
  const values = isAbsent(members.is) ? readList(members.in).map(readScalar) : [readScalar(members.is)];
  return { column: readText(members.column), in: values };
}
