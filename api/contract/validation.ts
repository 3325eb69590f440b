import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TObject, TSchema } from 'typebox';
import { parseServiceDate, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { definitions } from './definitions.ts';
import {
  describeAllowed,
  describeGroup,
  describeUnknown,
  followReference,
  joinOr,
  type MemberGroup,
} from './schema-sentences.ts';

/** Names from a request are cut at this length in error texts, so that responses stay small. */
export const ECHO_LENGTH = 100;

const ajv = new Ajv2020({
  strict: true,
  // Constraints across members mention members that their subschema does not define.
  strictRequired: false,
  // Errors then include the violated schema, from which the sentences are built.
  verbose: true,
  // The schemas are our own, and a test checks them against the meta-schema.
  validateSchema: false,
  addUsedSchema: false,
});
addFormats.default(ajv, ['uri', 'uri-reference']);
// The time parser of the whole service: no leap seconds, no 30 February.
ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== null);
ajv.addFormat('date', (text: string) => text.length === 10 && parseServiceDate(text) !== null);

// Caching is safe: a schema never changes, and compiling one takes milliseconds.
const validators = new WeakMap<TSchema, ValidateFunction>();

/**
 * Returns the compiled validator of a schema; `#/$defs/<name>` refers to a type of the contract.
 * Route registration calls this, so that the first request does not wait for compilation.
 */
function getValidator(schema: TSchema): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const made = ajv.compile({ $defs: definitions, ...schema });
  validators.set(schema, made);
  return made;
}

/** The first validation error of a value. */
export interface Flaw {
  /** JSON Pointer of the invalid member; empty for the value itself. */
  readonly pointer: string;
  /** `incomplete`: one complete group of members is required, but there is none. */
  readonly kind: 'member' | 'incomplete';
  /** Completes "<member> …" with the allowed values. */
  readonly sentence: string;
}

/** @returns null if the value is valid */
export function findFlaw(schema: TSchema, value: unknown): Flaw | null {
  const validate = getValidator(schema);
  if (validate(value)) return null;
  const errors = validate.errors ?? [];
  // A union reports its error after those of its branches, so the outermost union comes last.
  return explain(errors[errors.length - 1]!);
}

function explain(error: ErrorObject): Flaw {
  const { keyword, instancePath, params } = error;
  const at = (name: string) => `${instancePath}/${escapePointer(name.slice(0, ECHO_LENGTH))}`;
  switch (keyword) {
    case 'additionalProperties':
      return { pointer: at(params.additionalProperty), kind: 'member', sentence: describeUnknown(error.parentSchema) };
    case 'required':
    case 'dependentRequired': {
      const partner = params.property ? ` beside "${params.property}"` : '';
      const missing: TSchema | undefined = error.parentSchema?.properties?.[params.missingProperty];
      const sentence = `is missing${partner}; it must be ${describeAllowed(missing ?? {})}`;
      return { pointer: at(params.missingProperty), kind: 'member', sentence };
    }
    case 'not': {
      const [first, second] = (error.schema as { required: [string, string] }).required;
      return { pointer: at(second), kind: 'member', sentence: `cannot be given together with "${first}"` };
    }
    case 'anyOf':
      return explainUnion(error);
    default:
      return {
        pointer: instancePath,
        kind: 'member',
        sentence: `must be ${describeAllowed(error.parentSchema ?? {})}`,
      };
  }
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Explains the error within the intended branch, or lists the branches if the intended one is unclear. */
function explainUnion(error: ErrorObject): Flaw {
  const branches = (error.schema as TSchema[]).map(followReference);
  if (branches.every((branch) => isGroup(branch))) {
    const groups = (branches as MemberGroup[]).map(describeGroup);
    return { pointer: error.instancePath, kind: 'incomplete', sentence: `needs ${joinOr(groups)}` };
  }
  const meant = findMeantBranch(branches, error.data);
  const inner = meant && findFlaw(meant, error.data);
  if (inner) return { ...inner, pointer: error.instancePath + inner.pointer };
  const sentence = `must be ${joinOr(branches.map(describeAllowed))}`;
  return { pointer: error.instancePath, kind: 'member', sentence };
}

const isGroup = (schema: TSchema) => 'required' in schema && !('properties' in schema);

/** The only branch whose fixed members match and that shares the most member names with the value. */
function findMeantBranch(branches: readonly TSchema[], value: unknown): TSchema | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const given = value as Record<string, unknown>;
  const scores = branches.map((branch) => {
    const members = Object.entries((branch as Partial<TObject>).properties ?? {});
    const fits = members.every(([name, member]) => !('const' in member) || member.const === given[name]);
    return fits ? members.filter(([name]) => Object.hasOwn(given, name)).length : 0;
  });
  const best = Math.max(...scores);
  const isClear = best > 0 && scores.filter((score) => score === best).length === 1;
  return isClear ? branches[scores.indexOf(best)]! : null;
}
