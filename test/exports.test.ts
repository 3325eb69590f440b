import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../pipeline/effects/project-files.ts';
import { findRepeatedTypes, findUnusedExports, type SourceText } from './support/checks/exports.ts';

let files: SourceText[];

beforeAll(async () => {
  const config = 'vitest.config.ts';
  files = [{ name: config, text: await readFile(path.join(projectRoot, config), 'utf8') }];
  for (const folder of ['pipeline', 'jobs', 'api', 'test']) {
    for (const entry of await readdir(path.join(projectRoot, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(projectRoot, file).split(path.sep).join('/');
      files.push({ name, text: await readFile(file, 'utf8') });
    }
  }
});

describe('exports', () => {
  it('are imported by another file', () => {
    expect(findUnusedExports(files)).toEqual([]);
  });

  it('of types have distinct names in the program', () => {
    const program = files.filter(({ name }) => !name.startsWith('test/'));
    expect(findRepeatedTypes(program)).toEqual([]);
  });

  it('are found by name, as a whole, and not inside the same file', () => {
    const a = { name: 'a.ts', text: 'export const x = 1;\nexport type T = typeof x;\nexport const y = x;' };
    const b = { name: 'lib/b.ts', text: 'export interface T {}' };
    const user = (text: string) => findUnusedExports([a, b, { name: 'lib/c.ts', text }]);
    expect(user('')).toEqual(['a.ts: x', 'a.ts: T', 'a.ts: y', 'lib/b.ts: T']);
    expect(user("import { x, type T } from '../a.ts';")).toEqual(['a.ts: y', 'lib/b.ts: T']);
    expect(user("import * as a from '../a.ts'; export * from './b.ts';")).toEqual([]);
    expect(user("const a = await import('../a.ts');")).toEqual(['lib/b.ts: T']);
    expect(findRepeatedTypes([a, b])).toEqual(['T: a.ts, lib/b.ts']);
  });
});
