import { cp, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { projectPath, projectRoot } from '../../pipeline/effects/project-files.ts';
import { runTool } from '../interop/tools.ts';

/** Files and folders that a fresh checkout does not have. */
const LEFT_OUT = ['.git', 'node_modules', 'dist', 'bench-results', 'test-output', 'release', 'npm-shrinkwrap.json'];

/**
 * Builds and packs the program in a copy of the project, because `dist` may contain files of an earlier build.
 * @returns the tarball
 */
export async function packProgram(folder: string): Promise<string> {
  const copy = path.join(folder, 'project');
  await cp(projectRoot, copy, { recursive: true, filter: (place) => isCopied(path.relative(projectRoot, place)) });
  await symlink(projectPath('node_modules'), path.join(copy, 'node_modules'));
  await runTool('npm', ['pack', '--silent', '--pack-destination', folder], '', copy);
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack created no tarball');
  return path.join(folder, tarball);
}

function isCopied(name: string): boolean {
  const [top = '', second] = name.split(path.sep);
  if (top === 'data') return second === undefined || second === 'lookups';
  return !LEFT_OUT.includes(top) && !/^taktgeber-.*\.tgz$/.test(top);
}
