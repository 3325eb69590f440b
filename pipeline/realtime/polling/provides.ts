import type { ConfiguredSource } from '../../config/configured-source.ts';
import type { ProvidedArea } from '../../sources/define-source.ts';
import { findSourceDefinition, getSourceDefinition } from '../../sources/registry/find-source-definition.ts';

/** Areas that a source provides as configured. */
export function listProvidedAreas({
  kind,
  options,
}: Pick<ConfiguredSource, 'kind' | 'options'>): readonly ProvidedArea[] {
  return getSourceDefinition(kind).areas(options);
}

/**
 * Returns the only area that a request serves, so that its failure is shown although other requests of the source are
 * answered.
 * @returns null for a request that serves all areas of its source
 */
export function findPartArea(kind: string, part: string): ProvidedArea | null {
  const rules = Object.entries(findSourceDefinition(kind)?.areasByPart ?? {});
  return rules.find(([prefix]) => part.startsWith(prefix))?.[1] ?? null;
}
