import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isSystemError } from '../../../pipeline/effects/external-error.ts';
import { projectPath } from '../../../pipeline/effects/project-files.ts';
import { COMPILED_FOLDER } from '../setup/compiled-folder.ts';

/**
 * Compiles the project, once for all tests of a run, for a Node that a test can kill.
 * @param name path of a program below the project's folder
 * @returns its JavaScript file
 */
export async function compileProgram(name: string): Promise<string> {
  const folder = process.env[COMPILED_FOLDER];
  if (folder === undefined) throw new Error(`${COMPILED_FOLDER} is not set: the run lacks its global setup`);
  while (!existsSync(folder)) if (!(await compileUnlessCompiled(folder))) await wait(100);
  return path.join(folder, name.replace(/\.ts$/, '.js'));
}

/** @returns false if another worker of the run is compiling */
async function compileUnlessCompiled(folder: string): Promise<boolean> {
  const mark = `${folder}-compiling`;
  await mkdir(path.dirname(folder), { recursive: true });
  try {
    await mkdir(mark);
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  }
  try {
    if (!existsSync(folder)) await compileProject(folder);
    return true;
  } finally {
    await rm(mark, { recursive: true });
  }
}

async function compileProject(folder: string): Promise<void> {
  const partial = await mkdtemp(`${folder}-`);
  const config = {
    extends: projectPath('tsconfig.json'),
    compilerOptions: {
      rootDir: projectPath(''),
      outDir: partial,
      incremental: false,
      tsBuildInfoFile: null,
      noCheck: true,
    },
    include: ['pipeline', 'api', 'jobs', 'test'].map(projectPath),
    exclude: [projectPath('api/site/browser')],
  };
  const configFile = path.join(partial, 'tsconfig.json');
  await writeFile(configFile, JSON.stringify(config));
  await promisify(execFile)(process.execPath, [projectPath('node_modules/typescript/bin/tsc'), '-p', configFile]);
  await rename(partial, folder);
}
