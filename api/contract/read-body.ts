import type { Static, TSchema } from 'typebox';
import { fillDefaults } from './fill-defaults.ts';
import { ApiProblem } from './problems.ts';
import { findFlaw } from './validation.ts';

/**
 * Validates a parsed JSON body and fills in defaults. Nothing is converted or dropped.
 * @returns a new object if defaults were filled in; the input is never modified
 * @throws ApiProblem `invalid_body` with the JSON Pointer of the first invalid member
 */
export function readBody<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const flaw = findFlaw(schema, value);
  if (flaw === null) return fillDefaults(schema, value);
  const subject = flaw.pointer === '' ? 'The body' : `"${flaw.pointer}"`;
  throw new ApiProblem('invalid_body', `${subject} ${flaw.sentence}.`, flaw.pointer === '' ? undefined : flaw.pointer);
}
