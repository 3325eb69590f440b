import { spawn } from 'node:child_process';

/**
 * Runs a program to its end.
 * @param input its standard input
 * @returns what it has printed, errors included
 * @throws Error with that when it ends with another code than 0, or is not installed
 */
export function runTool(program: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk;
      });
    }
    child.once('error', (error) => reject(new Error(`${program} cannot be started: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(said);
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}: ${said.trim()}`));
    });
    // One that does not read its input closes it.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/**
 * Installs a package of Debian where its program is missing.
 * @throws Error where that is not possible: without Debian, root or a registry
 */
export async function installDebianPackage(program: string, name: string): Promise<void> {
  const isThere = await runTool(program, ['--version'], '').then(
    () => true,
    () => false,
  );
  if (isThere) return;
  try {
    await runTool('apt-get', ['update'], '');
    await runTool('apt-get', ['install', '--yes', '--no-install-recommends', name], '');
  } catch (error) {
    throw new Error(
      `${program} is missing, and the Debian package ${name} cannot be installed: ${(error as Error).message}`,
    );
  }
}
