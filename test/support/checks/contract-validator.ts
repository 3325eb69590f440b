import '@hyperjump/json-schema/formats';
import {
  hasSchema,
  registerSchema,
  type SchemaObject,
  setShouldValidateFormat,
  type Validator,
  validate,
} from '@hyperjump/json-schema/draft-2020-12';
import { expect } from 'vitest';
import { buildSchemaDocument } from '../../../api/contract/schema-document.ts';

// The service's own validator is not asked: what apps download is read by another implementation of the standard.

setShouldValidateFormat(true);
// As apps receive it: a text that was parsed.
const published = JSON.parse(JSON.stringify(buildSchemaDocument())) as SchemaObject & { $id: string; $defs: object };
if (!hasSchema(published.$id)) registerSchema(published);

type Json = Parameters<Validator>[0];

// A cache of facts: the published document never changes in a run.
const validators = new Map<string, Validator>();

async function getValidator(typeName: string): Promise<Validator> {
  const known = validators.get(typeName);
  if (known) return known;
  if (!Object.hasOwn(published.$defs, typeName)) throw new Error(`the published schema has no type "${typeName}"`);
  const made = await validate(`${published.$id}#/$defs/${typeName}`);
  validators.set(typeName, made);
  return made;
}

/** Where a value breaks a published type, one line per broken rule; empty when it is valid. */
export async function findContractErrors(typeName: string, value: unknown): Promise<string[]> {
  const output = (await getValidator(typeName))(value as Json, 'BASIC');
  if (output.valid) return [];
  return (output.errors ?? []).map((error) => `${error.instanceLocation} breaks ${error.absoluteKeywordLocation}`);
}

/** Fails the test unless the value is valid against the published schema of the type; await it. */
export async function expectValidAnswer(typeName: string, value: unknown): Promise<void> {
  expect(await findContractErrors(typeName, value), `${typeName} against the published schema`).toEqual([]);
}
