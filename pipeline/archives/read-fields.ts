import { MappingError } from './archive-mapping.ts';

/** What YAML made of a part of a mapping, with the way to it, so that messages name the key. */
export interface Field {
  /** E.g. `arrival.delay.unit`. */
  readonly path: string;
  readonly value: unknown;
}

export function fail(field: Field, mustBe: string): never {
  throw new MappingError(`${field.path || 'the mapping'} ${mustBe}`);
}

/**
 * The members of a YAML mapping.
 * @param known names that are understood; others are refused, so that a typing error is not passed over
 * @throws MappingError
 */
export function readMembers<Name extends string>(field: Field, known: readonly Name[]): Record<Name, Field> {
  const { value, path } = field;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(field, 'must be a group of keys');
  const members = value as Record<string, unknown>;
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const name of Object.keys(members)) {
    if (!known.includes(name as Name)) {
      throw new MappingError(`${pathOf(name)} is not understood; understood are ${known.join(', ')}`);
    }
  }
  return Object.fromEntries(known.map((name) => [name, { path: pathOf(name), value: members[name] }])) as Record<
    Name,
    Field
  >;
}

export function isAbsent({ value }: Field): boolean {
  return value === undefined || value === null;
}

export function readText(field: Field): string {
  const { value } = field;
  if (typeof value !== 'string' || value === '') fail(field, 'must be a text');
  return value;
}

/** A constant or a value to compare with; YAML makes numbers and truth values of some. */
export function readScalar(field: Field): string {
  const { value } = field;
  if (!['string', 'number', 'boolean'].includes(typeof value)) fail(field, 'must be a text, a number, true or false');
  return String(value);
}

export function readInteger(field: Field, minimum: number, maximum: number): number {
  const { value } = field;
  if (!Number.isSafeInteger(value) || (value as number) < minimum || (value as number) > maximum) {
    fail(field, `must be a whole number from ${minimum} to ${maximum}`);
  }
  return value as number;
}

export function readNumber(field: Field): number {
  if (typeof field.value !== 'number' || !Number.isFinite(field.value)) fail(field, 'must be a number');
  return field.value;
}

export function readFlag(field: Field): boolean {
  if (typeof field.value !== 'boolean') fail(field, 'must be true or false');
  return field.value;
}

export function readChoice<const Choice extends string>(field: Field, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === field.value);
  if (found === undefined) fail(field, `must be ${choices.join(' or ')}`);
  return found;
}

/** @param isSingleAllowed one value may stand for a list of one */
export function readList(field: Field, isSingleAllowed = false): Field[] {
  const { value, path } = field;
  if (isSingleAllowed && !Array.isArray(value) && !isAbsent(field)) return [field];
  if (!Array.isArray(value) || value.length === 0) fail(field, 'must be a list of at least one');
  return value.map((item, index) => ({ path: `${path}[${index}]`, value: item as unknown }));
}

/** What a part is when the mapping says nothing of it. */
export function readOr<Value>(field: Field, absent: Value, read: (field: Field) => Value): Value {
  return isAbsent(field) ? absent : read(field);
}
