import { buildSchemaDocument } from '../../../api/contract/schema-document.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const { $defs } = JSON.parse(JSON.stringify(buildSchemaDocument())) as { $defs: Readonly<Record<string, Schema>> };

/**
 * What the published types declare that an answer may lack: `Type.member` of each optional member, and
 * `Type.member=value` of each enumerated value. Members of nested objects are named by their path.
 * @param types of answers; those that they refer to are included
 */
export function listDeclared(types: readonly string[]): ReadonlySet<string> {
  const declared = new Set<string>();
  const visited = new Set<string>();
  const visit = (schema: Schema, path: string) => {
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref);
      if (visited.has(name)) return;
      visited.add(name);
      visit($defs[name]!, name);
      return;
    }
    for (const value of schema.enum ?? []) declared.add(`${path}=${value}`);
    for (const one of schema.anyOf ?? []) visit(one, path);
    if (schema.items) visit(schema.items, path);
    for (const [member, its] of Object.entries(schema.properties ?? {})) {
      if (!schema.required?.includes(member)) declared.add(`${path}.${member}`);
      visit(its, `${path}.${member}`);
    }
  };
  for (const name of types) visit({ $ref: `#/$defs/${name}` }, name);
  return declared;
}

/** Adds what an answer has of it. */
export function addSeen(seen: Set<string>, type: string, value: unknown): void {
  const visit = (schema: Schema, path: string, value: unknown): void => {
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref);
      visit($defs[name]!, name, value);
      return;
    }
    if (schema.enum?.includes(value)) seen.add(`${path}=${value}`);
    for (const one of schema.anyOf ?? []) visit(one, path, value);
    if (Array.isArray(value)) {
      if (schema.items) for (const one of value) visit(schema.items, path, one);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [member, its] of Object.entries(schema.properties ?? {})) {
      if (!Object.hasOwn(value, member)) continue;
      if (!schema.required?.includes(member)) seen.add(`${path}.${member}`);
      visit(its, `${path}.${member}`, (value as Record<string, unknown>)[member]);
    }
  };
  visit({ $ref: `#/$defs/${type}` }, type, value);
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
