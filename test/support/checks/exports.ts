import path from 'node:path';

export interface SourceText {
  /** Path in the project, with forward slashes. */
  readonly name: string;
  readonly text: string;
}

interface Export {
  readonly file: string;
  readonly name: string;
  readonly isType: boolean;
}

const EXPORT = /^export (?:declare )?(?:async )?(const|let|function\*?|class|abstract class|interface|type) (\w+)/gm;
const NAMED_IMPORT = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/g;
const WHOLE_IMPORT = /(?:\*(?:\s+as\s+\w+)?\s+from\s+|\bimport\(\s*)'(\.[^']+)'/g;

/** Exports that no other file imports, as `file: name`. A file that is imported as a whole uses all its exports. */
export function findUnusedExports(files: readonly SourceText[]): string[] {
  const used = new Set(files.flatMap(listUses));
  return files
    .flatMap(listExports)
    .filter(({ file, name }) => !used.has(file) && !used.has(`${file} ${name}`))
    .map(({ file, name }) => `${file}: ${name}`);
}

/** Names of exported types that several files define, each with its files, as `name: file, file`. */
export function findRepeatedTypes(files: readonly SourceText[]): string[] {
  const places = new Map<string, string[]>();
  for (const { file, name, isType } of files.flatMap(listExports)) {
    if (isType) places.set(name, [...(places.get(name) ?? []), file]);
  }
  return [...places].filter(([, found]) => found.length > 1).map(([name, found]) => `${name}: ${found.join(', ')}`);
}

/** Imported files, and `file name` for each imported name. */
function listUses({ name: file, text }: SourceText): string[] {
  const resolve = (target: string) => path.posix.join(path.posix.dirname(file), target);
  const named = [...text.matchAll(NAMED_IMPORT)].flatMap(([, names, target]) =>
    names!
      .split(',')
      .map(
        (one) =>
          one
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0]!,
      )
      .map((one) => `${resolve(target!)} ${one}`),
  );
  return [...named, ...[...text.matchAll(WHOLE_IMPORT)].map(([, target]) => resolve(target!))];
}

function listExports({ name: file, text }: SourceText): Export[] {
  return [...text.matchAll(EXPORT)].map(([, kind, name]) => ({
    file,
    name: name!,
    isType: kind === 'interface' || kind === 'type',
  }));
}
