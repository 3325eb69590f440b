import process from 'node:process';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { runTool } from './tools.ts';

/** The command line as it is built. */
export const CLI = projectPath('dist/jobs/commands/cli.js');

/**
 * Runs a command of Taktgeber on a data folder to its end, without a configuration file.
 * @returns what it has printed
 * @throws Error with that when it fails
 */
export function runCli(
  dataDir: string,
  environment: Readonly<Record<string, string>>,
  ...argv: readonly string[]
): Promise<string> {
  const variables = Object.entries({ TAKTGEBER_CONFIG: '', ...environment }).map(([name, value]) => `${name}=${value}`);
  return runTool('env', [...variables, process.execPath, CLI, ...argv, '--data', dataDir], '', dataDir);
}
