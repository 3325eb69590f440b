import type { TSchema } from 'typebox';
import { definitions } from '../../../api/contract/definitions.ts';
import type { RouteContract } from '../../../api/contract/route-contract.ts';
import { type Random, seededRandom, wholeBetween } from '../../../pipeline/sample/simulator/seeded-random.ts';

/** Values that mean something to the service, by the name of a parameter or member; others are made up. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

export interface FuzzedRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

/** What no schema allows, and what some parsers stumble over. */
const ODD_TEXTS = [
  '',
  ' ',
  'NaN',
  '1e3',
  '-0',
  '%00',
  '\u0000',
  '../..',
  "' or 1=1",
  '🚊',
  'ß'.repeat(300),
  '٣',
  '+',
  '%',
  ',',
];
const ODD_VALUES: readonly unknown[] = [null, true, -1, 2 ** 53, 1e308, '', '🚊', [], {}, [[]], { a: 1 }];

/** One request to a route: mostly as its schema says, now and then with one thing wrong. Equal seeds give equal requests. */
export function fuzzRequest(route: RouteContract, known: KnownValues, seed: number): FuzzedRequest {
  const random = seededRandom(seed, route.operationId);
  const maker = { random, known };
  const url = makePath(route, maker) + makeQuery(route, maker);
  if (!route.body) return { method: route.method, url, headers: makeHeaders(random) };
  const body = spoilSometimes(makeValue(route.body, '', maker), random);
  const payload = random() < 0.02 ? JSON.stringify(body).slice(0, -1) : JSON.stringify(body);
  const contentType = random() < 0.02 ? 'text/plain' : 'application/json';
  return { method: route.method, url, headers: { ...makeHeaders(random), 'content-type': contentType }, payload };
}

interface Maker {
  readonly random: Random;
  readonly known: KnownValues;
}

function makeHeaders(random: Random): Record<string, string> {
  if (random() < 0.1) return { 'if-none-match': random() < 0.5 ? '*' : '"a", W/"b"' };
  if (random() < 0.05) return { 'x-installation-token': pick(random, ODD_TEXTS.slice(0, 5)) };
  return random() < 0.05 ? { accept: 'text/csv' } : {};
}

function makePath({ path, params }: RouteContract, maker: Maker): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(makeValue(params!.properties[name]!, name, maker)) || 'x'),
  );
}

function makeQuery({ query }: RouteContract, maker: Maker): string {
  const { random } = maker;
  const required: readonly string[] = (query.required as string[] | undefined) ?? [];
  const pairs = Object.entries(query.properties).flatMap(([name, schema]) => {
    if (!required.includes(name) && random() < 0.65) return [];
    const value = random() < 0.06 ? pick(random, ODD_TEXTS) : makeValue(schema, name, maker);
    const text = Array.isArray(value) ? value.map((item) => encodeURIComponent(String(item))).join(',') : String(value);
    return [`${name}=${encodeURIComponent(text)}`];
  });
  if (random() < 0.03) pairs.push('surprise=1');
  if (random() < 0.03 && pairs[0]) pairs.push(pairs[0]);
  if (random() < 0.02) pairs.push('a%zz');
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** A value that the schema allows, as far as that can be read off it. */
function makeValue(schema: TSchema, name: string, maker: Maker): unknown {
  const { random, known } = maker;
  const meant = known[name];
  if (meant && random() < 0.8) return pick(random, meant);
  const rule = resolve(schema);
  if (Array.isArray(rule.enum)) return pick(random, rule.enum);
  if ('const' in rule) return rule.const;
  if (Array.isArray(rule.anyOf) && rule.type === undefined) {
    return makeValue(pick(random, rule.anyOf as TSchema[]), name, maker);
  }
  switch (rule.type) {
    case 'integer':
      return makeWhole(Number(rule.minimum ?? 0), Number(rule.maximum ?? 1000), random);
    case 'number':
      return Number(rule.minimum ?? 0) + random() * (Number(rule.maximum ?? 1) - Number(rule.minimum ?? 0));
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    case 'array':
      return makeList(rule, name, maker);
    case 'object':
      return makeObject(rule, maker);
    default:
      return makeText(rule, random);
  }
}

/** Ends of the range more often than chance would have them. */
function makeWhole(minimum: number, maximum: number, random: Random): number {
  if (random() < 0.2) return random() < 0.5 ? minimum : maximum;
  return wholeBetween(random, minimum, Math.min(maximum, minimum + 2000));
}

function makeList(rule: Record<string, unknown>, name: string, maker: Maker): unknown[] {
  const length = wholeBetween(maker.random, Number(rule.minItems ?? 0), Math.min(Number(rule.maxItems ?? 3), 4));
  return Array.from({ length }, () => makeValue(rule.items as TSchema, name, maker));
}

function makeObject(rule: Record<string, unknown>, maker: Maker): Record<string, unknown> {
  const required = (rule.required as readonly string[] | undefined) ?? [];
  const members = Object.entries(rule.properties as Record<string, TSchema>);
  const present = members.filter(([name]) => required.includes(name) || maker.random() < 0.35);
  return Object.fromEntries(present.map(([name, schema]) => [name, makeValue(schema, name, maker)]));
}

function makeText(rule: Record<string, unknown>, random: Random): string {
  const day = `2026-03-${String(wholeBetween(random, 1, 31)).padStart(2, '0')}`;
  if (rule.format === 'date') return day;
  if (rule.format === 'date-time')
    return `${day}T${pick(random, ['00:00:00Z', '08:30:00+01:00', '23:59:59.999-11:30'])}`;
  if (rule.format === 'uri') return pick(random, ['https://push.example.org/x', 'https://127.0.0.1/', 'ftp://x']);
  return pick(random, ['a', 'Praterstern', 'S1', 'zweiundvierzig', ...ODD_TEXTS]);
}

/** Puts one wrong thing somewhere into a body. */
function spoilSometimes(body: unknown, random: Random): unknown {
  if (random() > 0.15 || typeof body !== 'object' || body === null) return body;
  const spoilt = structuredClone(body) as Record<string, unknown>;
  const names = Object.keys(spoilt);
  const name = names.length === 0 || random() < 0.2 ? 'surprise' : pick(random, names);
  const inner = spoilt[name];
  spoilt[name] =
    random() < 0.5 && typeof inner === 'object' && !Array.isArray(inner)
      ? { ...inner, surprise: 1 }
      : pick(random, ODD_VALUES);
  return spoilt;
}

function resolve(schema: TSchema): Record<string, unknown> {
  const reference = (schema as { $ref?: string }).$ref;
  return (reference === undefined ? schema : definitions[reference.slice('#/$defs/'.length)]!) as never;
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[wholeBetween(random, 0, values.length - 1)]!;
}
