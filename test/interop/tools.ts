import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/**
 * Runs a program until it ends.
 * @param input its standard input
 * @param folder its working directory; absent: that of this process
 * @returns its output, errors included
 * @throws Error with the output if its exit code is not 0, or if it is not installed
 */
export function runTool(program: string, args: readonly string[], input: string, folder?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], cwd: folder });
    const output = collectOutput(child);
    child.once('error', (error) => reject(new Error(`${program} cannot be started: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output());
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}: ${output().trim()}`));
    });
    // A program that does not read its input closes it.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  let output = '';
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  return () => output;
}

export interface RunningTool {
  readonly pid: number;
  /** Its exit code; null after a signal. Never rejects. */
  readonly ended: Promise<number | null>;
  /** Its output so far, errors included. */
  output(): string;
  /** Kills it with its child processes; does nothing if it has ended. */
  kill(): void;
}

/**
 * Starts a program that keeps running.
 * @param place its working directory and environment; absent: those of this process
 */
export function startTool(
  program: string,
  args: readonly string[],
  place: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): RunningTool {
  // A separate process group, so that its child processes can be killed with it.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...place });
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code));
  });
  return {
    pid: child.pid ?? 0,
    ended,
    output: collectOutput(child),
    kill() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        process.kill(-child.pid, 'SIGKILL');
      }
    },
  };
}

/**
 * Installs a Debian package if its program is missing.
 * @param versionFlag option with which the program prints its version and exits
 * @throws Error if that is not possible: without Debian, root or a registry
 */
export async function installDebianPackage(program: string, name: string, versionFlag = '--version'): Promise<void> {
  const isThere = await runTool(program, [versionFlag], '').then(
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

/**
 * Installs PyPI packages in a separate environment in the temporary folder, where later runs reuse them.
 * @param name of the environment
 * @returns its Python
 * @throws Error if that is not possible: without Python, its venv module or a registry
 */
export async function installPythonPackages(name: string, packages: readonly string[]): Promise<string> {
  const folder = path.join(tmpdir(), `taktgeber-interop-${name}`);
  const python = path.join(folder, 'bin', 'python');
  const mark = path.join(folder, 'installed.txt');
  const wanted = packages.join('\n');
  if ((await readFile(mark, 'utf8').catch(() => '')) === wanted) return python;
  try {
    await rm(folder, { recursive: true, force: true });
    await runTool('python3', ['-m', 'venv', folder], '');
    await runTool(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages], '');
    await writeFile(mark, wanted);
    return python;
  } catch (error) {
    throw new Error(`the Python packages ${packages.join(', ')} cannot be installed: ${(error as Error).message}`);
  }
}

/**
 * Installs npm packages in a separate folder in the temporary folder, where later runs reuse them.
 * @param name of the folder
 * @returns the folder of their programs
 * @throws Error if that is not possible: without a registry
 */
export async function installNpmPackages(name: string, packages: readonly string[]): Promise<string> {
  const folder = path.join(tmpdir(), `taktgeber-interop-${name}`);
  const mark = path.join(folder, 'installed.txt');
  const wanted = packages.join('\n');
  const programs = path.join(folder, 'node_modules', '.bin');
  if ((await readFile(mark, 'utf8').catch(() => '')) === wanted) return programs;
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    // Without this file npm would use a project in a parent folder.
    await writeFile(path.join(folder, 'package.json'), '{}');
    await runTool('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], '', folder);
    await writeFile(mark, wanted);
    return programs;
  } catch (error) {
    throw new Error(`the npm packages ${packages.join(', ')} cannot be installed: ${(error as Error).message}`);
  }
}
