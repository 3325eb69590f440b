import { projectPath } from '../../../pipeline/effects/project-files.ts';
import { installPythonPackages, runTool } from '../tools.ts';

const VERSION = '0.12.0';
const READER = projectPath('test/interop/read-iceberg.py');

/**
 * Asks PyIceberg in a process of its own.
 * @param request names of functions of `read-iceberg.py` with their arguments
 * @returns an answer for each
 * @throws Error where it cannot be installed, or fails
 */
export async function askPyIceberg<Answer>(request: readonly unknown[]): Promise<Answer> {
  const packages = [`pyiceberg[pyarrow,sql-postgres]==${VERSION}`];
  const python = await installPythonPackages(`pyiceberg-${VERSION}`, packages);
  const said = await runTool(python, ['-W', 'ignore', READER], JSON.stringify(request));
  // Warnings of libraries come before it.
  return JSON.parse(said.slice(said.lastIndexOf('\n') + 1)) as Answer;
}
