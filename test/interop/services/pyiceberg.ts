import { projectPath } from '../../../pipeline/effects/project-files.ts';
import { installPythonPackages, runTool } from '../tools.ts';

const VERSION = '0.12.0';
const READER = projectPath('test/interop/read-iceberg.py');

/**
 * Runs PyIceberg in a separate process.
 * @param request names of functions of `read-iceberg.py` with their arguments
 * @returns one result per function
 * @throws Error if it cannot be installed or fails
 */
export async function runPyIceberg<Answer>(request: readonly unknown[]): Promise<Answer> {
  const packages = [`pyiceberg[pyarrow,sql-postgres]==${VERSION}`];
  const python = await installPythonPackages(`pyiceberg-${VERSION}`, packages);
  const output = await runTool(python, ['-W', 'ignore', READER], JSON.stringify(request));
  // Libraries print warnings before the result.
  return JSON.parse(output.slice(output.lastIndexOf('\n') + 1)) as Answer;
}
