import process from 'node:process';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { runTool } from './tools.ts';

/** The built command line. */
export const CLI = projectPath('dist/jobs/commands/cli.js');

/**
 * Runs a command of Taktgeber on a data folder, without a configuration file.
 * @returns its output
 * @throws Error with the output if it fails
 */
export function runCli(
  dataDir: string,
  environment: Readonly<Record<string, string>>,
  ...argv: readonly string[]
): Promise<string> {
  const variables = Object.entries({ TAKTGEBER_CONFIG: '', ...environment }).map(([name, value]) => `${name}=${value}`);
  return runTool('env', [...variables, process.execPath, CLI, ...argv, '--data', dataDir], '', dataDir);
}
