import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/**
 * Runs a program to its end.
 * @param input its standard input
 * @param folder its working directory; absent: that of this process
 * @returns what it has printed, errors included
 * @throws Error with that when it ends with another code than 0, or is not installed
 */
export function runTool(program: string, args: readonly string[], input: string, folder?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], cwd: folder });
    const said = collectOutput(child);
    child.once('error', (error) => reject(new Error(`${program} cannot be started: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(said());
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}: ${said().trim()}`));
    });
    // One that does not read its input closes it.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  let said = '';
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk;
    });
  }
  return () => said;
}

export interface RunningTool {
  readonly pid: number;
  /** Its exit code; null after a signal. Never rejects. */
  readonly ended: Promise<number | null>;
  /** What it has printed so far, errors included. */
  said(): string;
  /** Ends it at once, with all that it has started; nothing where it has ended. */
  kill(): void;
}

/**
 * Starts a program that runs on.
 * @param place its working directory and environment; absent: those of this process
 */
export function startTool(
  program: string,
  args: readonly string[],
  place: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): RunningTool {
  // A group of its own, so that what it starts can be ended with it.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...place });
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code));
  });
  return {
    pid: child.pid ?? 0,
    ended,
    said: collectOutput(child),
    kill() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        process.kill(-child.pid, 'SIGKILL');
      }
    },
  };
}

/**
 * Installs a package of Debian where its program is missing.
 * @param versionFlag with which the program ends at once
 * @throws Error where that is not possible: without Debian, root or a registry
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
 * Installs packages of PyPI in an environment of their own below the temporary folder, where they stay for the next run.
 * @param name of the environment
 * @returns its Python
 * @throws Error where that is not possible: without Python, its venv module or a registry
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
