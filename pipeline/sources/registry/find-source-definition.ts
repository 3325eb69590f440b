import type { SourceDefinition } from '../define-source.ts';
import { sourceDefinitions } from './source-definitions.ts';

export function findSourceDefinition(kind: unknown): SourceDefinition | null {
  return sourceDefinitions.find((definition) => definition.kind === kind) ?? null;
}

/** @throws RangeError for an unknown kind, which a checked configuration cannot contain */
export function getSourceDefinition(kind: string): SourceDefinition {
  const definition = findSourceDefinition(kind);
  if (definition === null) throw new RangeError(`there is no kind of source "${kind}"`);
  return definition;
}
