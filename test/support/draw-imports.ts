/**
 * Draws who imports from whom, as a Mermaid flowchart. An import that follows from others, along a longer way, is left
 * out: the drawing is the transitive reduction, which a graph without circles has exactly one of.
 * @param imports places that a place imports from, by place
 */
export function drawImports(imports: ReadonlyMap<string, ReadonlySet<string>>): string {
  const reached = new Map<string, Set<string>>();
  const reach = (place: string): Set<string> => {
    const known = reached.get(place);
    if (known) return known;
    const all = new Set<string>();
    for (const target of imports.get(place) ?? []) for (const one of [target, ...reach(target)]) all.add(one);
    reached.set(place, all);
    return all;
  };
  const lines: string[] = [];
  for (const [place, targets] of [...imports].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const direct = [...targets].filter((target) => ![...targets].some((other) => reach(other).has(target)));
    for (const target of direct.sort()) lines.push(`  ${nodeOf(place)} --> ${nodeOf(target)}`);
  }
  return ['```mermaid', 'flowchart TD', ...lines, '```'].join('\n');
}

const nodeOf = (place: string) => `${place.replaceAll(/[^\w]/g, '_')}["${place.replace(/^pipeline\//, '')}"]`;

/**
 * Imports between places instead of files; those inside of a place do not count.
 * @param placeOf the place of a file; null for a file that is not drawn
 */
export function gatherImports(
  files: readonly { readonly name: string; readonly imports: readonly string[] }[],
  placeOf: (file: string) => string | null,
): Map<string, Set<string>> {
  const gathered = new Map<string, Set<string>>();
  for (const { name, imports } of files) {
    const from = placeOf(name);
    if (from === null) continue;
    const targets = gathered.get(from) ?? new Set<string>();
    for (const target of imports) {
      const to = placeOf(target);
      if (to !== null && to !== from) targets.add(to);
    }
    gathered.set(from, targets);
  }
  return gathered;
}
