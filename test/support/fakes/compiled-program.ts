import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { projectPath } from '../../../pipeline/effects/project-files.ts';
import { COMPILED_FOLDER } from '../setup/compiled-folder.ts';

/**
 * Compiles the project, once for all tests of a run, for a Node that a test can kill.
 * @param name path of a program below the project's folder
 * @returns its JavaScript file; it is removed when the run ends
 */
export async function compileProgram(name: string): Promise<string> {
  const folder = process.env[COMPILED_FOLDER];
  if (folder === undefined) throw new Error(`${COMPILED_FOLDER} is not set: the run lacks its global setup`);
  if (!existsSync(folder)) await compileProject(folder);
  return path.join(folder, name.replace(/\.ts$/, '.js'));
}

async function compileProject(folder: string): Promise<void> {
  await mkdir(path.dirname(folder), { recursive: true });
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
  // Another worker of the run may have compiled it meanwhile.
  await rename(partial, folder).catch(() => rm(partial, { recursive: true }));
}
