import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { projectPath } from '../../pipeline/effects/project-files.ts';

/**
 * Compiles a program of the tests, and what it imports, for a Node of its own: one that can be killed.
 * @param name path below the project's folder; the compiled form goes when the test ends
 * @param threads files that it starts as threads, which no import names
 * @returns the JavaScript file to be run
 */
export async function compileProgram(name: string, threads: readonly string[] = []): Promise<string> {
  // Inside of the project, so that packages and data files are found.
  await mkdir(projectPath('dist'), { recursive: true });
  const folder = await mkdtemp(projectPath('dist/program-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = {
    extends: projectPath('tsconfig.json'),
    compilerOptions: {
      rootDir: projectPath(''),
      outDir: folder,
      incremental: false,
      tsBuildInfoFile: null,
      noCheck: true,
    },
    include: [],
    files: [name, ...threads].map(projectPath),
  };
  const configFile = path.join(folder, 'tsconfig.json');
  await writeFile(configFile, JSON.stringify(config));
  await promisify(execFile)(process.execPath, [projectPath('node_modules/typescript/bin/tsc'), '-p', configFile]);
  return path.join(folder, name.replace(/\.ts$/, '.js'));
}
