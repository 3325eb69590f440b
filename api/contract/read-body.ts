import type { Static, TSchema } from 'typebox';
import { fillDefaults } from './fill-defaults.ts';
import { ApiProblem } from './problems.ts';
import { findFlaw } from './validation.ts';

/**
 * Reads a parsed JSON body: nothing is converted or dropped, and omitted members get their defaults.
 * @returns a new object where defaults were filled in; the value is never changed
 * @throws ApiProblem `invalid_body` with the JSON Pointer of the first wrong member
 */
export function readBody<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const flaw = findFlaw(schema, value);
  if (flaw === null) return fillDefaults(schema, value);
  const subject = flaw.pointer === '' ? 'The body' : `"${flaw.pointer}"`;
  throw new ApiProblem('invalid_body', `${subject} ${flaw.sentence}.`, flaw.pointer === '' ? undefined : flaw.pointer);
}
