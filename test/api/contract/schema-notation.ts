/** A published JSON Schema. */
export interface PlainSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly anyOf?: readonly PlainSchema[];
  readonly items?: PlainSchema;
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const MAX = 9007199254740991;

/** Writes a published schema in the notation of the tables in the specification, for comparison. */
export function toNotation(schema: PlainSchema): string {
  const standard = schema.default === undefined ? '' : ` = ${JSON.stringify(schema.default)}`;
  return writeType(schema) + standard;
}

export function toTable(schema: PlainSchema): Record<string, string> {
  if (schema.type !== 'object' || schema.additionalProperties !== false) throw new Error('not a closed object');
  const members = Object.entries(schema.properties ?? {});
  return Object.fromEntries(
    members.map(([name, member]) => [name, toNotation(member) + (schema.required?.includes(name) ? ' R' : '')]),
  );
}

function writeType(schema: PlainSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/$defs/', '');
  if (schema.enum) return schema.enum.join('|');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(writeType).join(' or ');
  switch (schema.type) {
    case 'array':
      return `${writeType(schema.items!)}[${writeRange(schema.minItems, schema.maxItems).trim()}]`;
    case 'object':
      return `{${Object.entries(toTable(schema))
        .map(([name, member]) => `${name}: ${member}`)
        .join(', ')}}`;
    case 'integer':
      return `integer${writeIntegerRange(schema)}`;
    case 'string': {
      const form = schema.pattern === undefined ? '' : ` ~${schema.pattern}`;
      return `${schema.format ?? 'string'}${writeRange(schema.minLength, schema.maxLength)}${form}`;
    }
    default:
      return `${schema.type}${writeRange(schema.minimum, schema.maximum)}`;
  }
}

function writeIntegerRange({ minimum, exclusiveMinimum, maximum }: PlainSchema): string {
  // Every integer of the contract has bounds; the notation omits the widest ones.
  if (maximum === undefined || maximum > MAX) throw new Error('an integer without an upper bound');
  const upper = maximum === MAX ? undefined : maximum;
  if (exclusiveMinimum !== undefined) return ` >${exclusiveMinimum}..${upper ?? ''}`;
  if (minimum === undefined || minimum < -MAX) throw new Error('an integer without a lower bound');
  return minimum === -MAX ? '' : writeRange(minimum, upper);
}

function writeRange(from: number | undefined, to: number | undefined): string {
  if (from === undefined && to === undefined) return '';
  return ` ${from ?? 0}..${to ?? ''}`;
}
