import { rmSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { projectPath, projectRoot } from '../../../pipeline/effects/project-files.ts';

/** Variable that names the folder of the compiled project: inside of the project, so that packages and data files are found. */
export const COMPILED_FOLDER = 'TAKTGEBER_TESTS_COMPILED_FOLDER';

/**
 * Names the folder of the compiled project: that of the build, if it is up to date; otherwise one into which the first
 * test that needs it compiles the project, and which is removed after the run.
 */
export default async function nameCompiledFolder(): Promise<() => void> {
  const build: { isBuildDue(root: string): boolean } = await import(
    pathToFileURL(projectPath('jobs/bootstrap/build.mjs')).href
  );
  if (!build.isBuildDue(projectRoot)) {
    process.env[COMPILED_FOLDER] = projectPath('dist');
    return () => {};
  }
  const folder = projectPath(`dist/program-run-${process.pid}`);
  process.env[COMPILED_FOLDER] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
