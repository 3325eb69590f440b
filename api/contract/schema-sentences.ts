import type { TObject, TSchema } from 'typebox';
import { definitions } from './definitions.ts';

// Describes schemas in sentences, for error details and documentation.

/** Members that a request must contain together. */
export interface MemberGroup {
  readonly required: readonly string[];
}

/** Describes the allowed values of a schema, to complete "it must be …". */
export function describeAllowed(schema: TSchema): string {
  const rule = followReference(schema) as Record<string, unknown>;
  if (Array.isArray(rule.enum)) return `one of ${joinOr(rule.enum.map(quote))}`;
  if ('const' in rule) return quote(rule.const);
  if (Array.isArray(rule.anyOf)) return joinOr(rule.anyOf.map(describeAllowed));
  switch (rule.type) {
    case 'integer':
      return `a whole number${describeRange('from', rule.minimum, rule.maximum)}`;
    case 'number':
      return `a number${describeRange('from', rule.minimum, rule.maximum)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array': {
      const range = describeRange('of', rule.minItems, rule.maxItems, ' items');
      return `a list${range}, each ${describeAllowed(rule.items as TSchema)}`;
    }
    case 'object':
      return `an object ${describeShape(rule as unknown as TObject)}`;
    default:
      return describeText(rule);
  }
}

function describeText(rule: Record<string, unknown>): string {
  if (rule.format === 'date-time') return 'a time like 2025-03-30T14:05:00+02:00';
  if (rule.format === 'date') return 'a date like 2025-03-30';
  const noun = rule.format === 'uri' ? 'an address' : 'a text';
  const form = typeof rule.pattern === 'string' ? ` that matches ${rule.pattern}` : '';
  if (rule.minLength === 1 && rule.maxLength === undefined) return `${noun} that is not empty${form}`;
  return `${noun}${describeRange('of', rule.minLength, rule.maxLength, ' characters')}${form}`;
}

function describeRange(word: 'from' | 'of', from: unknown, to: unknown, unit = ''): string {
  const isBounded = typeof to === 'number' && to < Number.MAX_SAFE_INTEGER;
  if (typeof from === 'number' && isBounded) return ` ${word} ${from} to ${to}${unit}`;
  if (typeof from === 'number' && from > -Number.MAX_SAFE_INTEGER) return ` of at least ${from}${unit}`;
  return isBounded ? ` of at most ${to}${unit}` : '';
}

/** `{coord, name?}`; members with a single allowed value show it: `{kind: "poll"}`. */
function describeShape(schema: TObject): string {
  const required: readonly string[] = schema.required ?? [];
  const members = Object.entries(schema.properties).map(([name, member]) => {
    if ('const' in member) return `${name}: ${quote(member.const)}`;
    return required.includes(name) ? name : `${name}?`;
  });
  return `{${members.join(', ')}}`;
}

/** Describes the members of an object that was given an unknown one. */
export function describeUnknown(schema: object | undefined): string {
  const known = Object.keys((schema as Partial<TObject> | undefined)?.properties ?? {}).join(', ');
  return `is unknown; ${known === '' ? 'no members are allowed' : `allowed are ${known}`}`;
}

/** Describes the constraints across the members of an object, one sentence each, for its documentation. */
export function describeRules(schema: TObject): string[] {
  const rules = schema as {
    anyOf?: readonly MemberGroup[];
    allOf?: readonly { not: MemberGroup }[];
    dependentRequired?: Readonly<Record<string, readonly string[]>>;
  };
  return [
    ...(rules.anyOf ? [`Needs ${joinOr(rules.anyOf.map(describeGroup))}.`] : []),
    ...(rules.allOf ?? []).map(({ not }) => `${not.required.map(quote).join(' and ')} exclude each other.`),
    ...describeDependencies(rules.dependentRequired ?? {}),
  ];
}

function describeDependencies(dependencies: Readonly<Record<string, readonly string[]>>): string[] {
  const described = new Set<string>();
  return Object.entries(dependencies).flatMap(([name, partners]) => {
    if (described.has(name)) return [];
    const isMutual = partners.every((partner) => dependencies[partner]?.includes(name));
    if (!isMutual) return [`${quote(name)} needs ${partners.map(quote).join(' and ')}.`];
    for (const partner of partners) described.add(partner);
    return [`${[name, ...partners].map(quote).join(', ')} must be given together.`];
  });
}

export const describeGroup = (group: MemberGroup) => group.required.map(quote).join(' with ');

const quote = (value: unknown) => JSON.stringify(value);

export function joinOr(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} or ${parts[parts.length - 1]}`;
}

export function followReference(schema: TSchema): TSchema {
  const reference = (schema as { $ref?: string }).$ref;
  return reference === undefined ? schema : definitions[reference.slice('#/$defs/'.length)]!;
}
