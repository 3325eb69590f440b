import { rmSync } from 'node:fs';
import process from 'node:process';
import { projectPath } from '../../../pipeline/effects/project-files.ts';

/** Variable that names the folder of the compiled project: inside of the project, so that packages and data files are found. */
export const COMPILED_FOLDER = 'TAKTGEBER_TESTS_COMPILED_FOLDER';

/** Names the folder into which the first test that needs it compiles the project, and removes it after the run. */
export default function nameCompiledFolder(): () => void {
  const folder = projectPath(`dist/program-run-${process.pid}`);
  process.env[COMPILED_FOLDER] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
