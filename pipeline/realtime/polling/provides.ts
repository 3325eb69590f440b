import type { ConfiguredSource } from '../../config/configured-source.ts';
import type { ProvidedArea } from '../../sources/define-source.ts';
import { findSourceDefinition, getSourceDefinition } from '../../sources/registry/find-source-definition.ts';

/** What a source is good for, as it is configured. */
export function listProvidedAreas({
  kind,
  options,
}: Pick<ConfiguredSource, 'kind' | 'options'>): readonly ProvidedArea[] {
  return getSourceDefinition(kind).areas(options);
}

/**
 * The area that a request of a source serves alone, so that its silence is told although the source's other requests are
 * answered.
 * @returns null for one that serves all areas of its source
 */
export function findPartArea(kind: string, part: string): ProvidedArea | null {
  const rules = Object.entries(findSourceDefinition(kind)?.areasByPart ?? {});
  return rules.find(([prefix]) => part.startsWith(prefix))?.[1] ?? null;
}
