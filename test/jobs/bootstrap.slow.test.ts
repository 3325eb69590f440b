import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { temporaryFolder } from './fake-world.ts';

/** The bootstrap is plain JavaScript without types; each test states the types it uses. */
async function load<Shape>(name: string): Promise<Shape> {
  return (await import(pathToFileURL(projectPath(`jobs/bootstrap/${name}`)).href)) as Shape;
}

async function writeFiles(root: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
}

describe('the version of Node', () => {
  it.each([
    ['20.19.0', null],
    ['20.20.2', null],
    ['22.0.0', null],
    ['100.0.0', null],
    ['20.18.3', 'taktgeber needs Node 20.19 or later; this is Node 20.18.3.'],
    ['18.20.0', 'taktgeber needs Node 20.19 or later; this is Node 18.20.0.'],
  ])('%s', async (version, complaint) => {
    const { describeNodeProblem } = await load<{ describeNodeProblem(v: string): string | null }>('node-version.mjs');
    const problem = describeNodeProblem(version);
    if (complaint === null) expect(problem).toBeNull();
    else expect(problem).toContain(complaint);
  });
});

describe('packages', () => {
  interface Install {
    findInstallReason(root: string): string | null;
    writeInstallStamp(root: string): void;
    removeInstallStamp(root: string): void;
  }

  const lock = (packages: Record<string, object>) => JSON.stringify({ packages: { '': {}, ...packages } });
  const a1 = { 'node_modules/a': { version: '1.0.0' } };
  const foreign = { 'node_modules/b': { version: '1.0.0', optional: true, os: ['plan9'] } };
  const native = {
    'node_modules/c': { version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch] },
  };

  const forgiven = { 'node_modules/d': { version: '1.0.0', optional: true } };

  const cases: readonly [title: string, files: Record<string, string>, reason: string | null][] = [
    ['nothing is there', { 'package-lock.json': lock(a1) }, 'node_modules is missing'],
    [
      'npm did not finish',
      { 'package-lock.json': lock(a1), 'node_modules/a/index.js': '' },
      'the list of installed packages is missing or of another version',
    ],
    [
      'everything is installed manually',
      {
        'package-lock.json': lock({ ...a1, ...foreign }),
        'node_modules/.package-lock.json': lock(a1),
        'node_modules/a/x': '',
      },
      null,
    ],
    [
      'one has another version',
      {
        'package-lock.json': lock({ 'node_modules/a': { version: '1.1.0' } }),
        'node_modules/.package-lock.json': lock(a1),
        'node_modules/a/x': '',
      },
      'node_modules/a is missing or of another version',
    ],
    [
      'the binary for this machine is missing',
      {
        'package-lock.json': lock({ ...a1, ...native }),
        'node_modules/.package-lock.json': lock(a1),
        'node_modules/a/x': '',
      },
      'node_modules/c is missing or of another version',
    ],
    [
      'an optional package of another package is missing',
      {
        'package-lock.json': lock({ ...a1, ...forgiven }),
        'node_modules/.package-lock.json': lock(a1),
        'node_modules/a/x': '',
      },
      null,
    ],
    [
      'an optional package of the project is missing',
      {
        'package-lock.json': lock({ '': { optionalDependencies: { d: '1.0.0' } }, ...a1, ...forgiven }),
        'node_modules/.package-lock.json': lock(a1),
        'node_modules/a/x': '',
      },
      'node_modules/d is missing or of another version',
    ],
  ];
  it.each(cases)('%s', async (_title, files, reason) => {
    const root = await temporaryFolder();
    await writeFiles(root, files);
    const { findInstallReason } = await load<Install>('install.mjs');
    expect(findInstallReason(root)).toBe(reason);
    // A check changes nothing, except that a valid state is recorded.
    expect(findInstallReason(root)).toBe(reason);
  });

  it('the stamp is valid until the lock file changes, and not while packages are being installed', async () => {
    const root = await temporaryFolder();
    const { findInstallReason, writeInstallStamp, removeInstallStamp } = await load<Install>('install.mjs');
    await writeFiles(root, { 'package-lock.json': lock(a1), 'node_modules/a/x': '' });
    writeInstallStamp(root);
    expect(findInstallReason(root)).toBeNull();
    removeInstallStamp(root);
    expect(findInstallReason(root)).not.toBeNull();
    writeInstallStamp(root);
    await writeFiles(root, { 'package-lock.json': lock({ ...a1, ...native }) });
    expect(findInstallReason(root)).not.toBeNull();
  });
});

describe('the build', () => {
  interface Build {
    isBuildDue(root: string): boolean;
    stampText(root: string): string;
    writeBuildStamp(root: string, text: string): void;
  }

  it('is required until it has run, and again when a source file changes, is added or removed', async () => {
    const { isBuildDue, stampText, writeBuildStamp } = await load<Build>('build.mjs');
    const root = await temporaryFolder();
    await writeFiles(root, {
      'tsconfig.json': '{}',
      'api/app.ts': 'a',
      'jobs/commands/cli.ts': 'b',
      'jobs/note.md': '',
    });
    const build = async () => {
      await writeFiles(root, {
        'dist/jobs/commands/cli.js': 'b',
        'dist/program/jobs/commands/cli.js': 'b',
        'dist/site/manifest.json': '{}',
      });
      writeBuildStamp(root, stampText(root));
    };
    expect(isBuildDue(root)).toBe(true);
    await build();
    expect(isBuildDue(root)).toBe(false);

    const changes: readonly [change: () => Promise<void>, isDue: boolean][] = [
      [() => writeFile(path.join(root, 'api/app.ts'), 'aa'), true],
      [() => utimes(path.join(root, 'api/app.ts'), 1, 1), true],
      [() => writeFile(path.join(root, 'api/more.ts'), ''), true],
      [() => rm(path.join(root, 'api/more.ts')), true],
      [() => rm(path.join(root, 'dist/jobs/commands/cli.js')), true],
      [() => rm(path.join(root, 'dist/program/jobs/commands/cli.js')), true],
      [() => rm(path.join(root, 'dist/site/manifest.json')), true],
      [() => writeFiles(root, { 'api/site/browser/map/map.css': '', 'api/site/browser/map/main.tsx': '' }), true],
      [() => writeFile(path.join(root, 'jobs/note.md'), 'n'), false],
    ];
    for (const [change, isDue] of changes) {
      await change();
      expect(isBuildDue(root)).toBe(isDue);
      await build();
    }
  });

  it('is never required without source files', async () => {
    const { isBuildDue } = await load<Build>('build.mjs');
    expect(isBuildDue(await temporaryFolder())).toBe(false);
  });
});

describe('a task', () => {
  /** Starts a program that passes its signals on to a child, which reports that and ends with 7. */
  async function startProgram(childCode: string) {
    const child = projectPath('jobs/bootstrap/child.mjs');
    const program = `
      import { runChild } from ${JSON.stringify(pathToFileURL(child).href)};
      const end = await runChild(process.execPath, ['-e', ${JSON.stringify(childCode)}]);
      process.stdout.write(JSON.stringify(end));
      process.exit(end.code);`;
    const started = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    started.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    return { started, output: () => output };
  }

  it.each(['SIGINT', 'SIGTERM'] as const)('receives %s, and its exit code is returned', async (signal) => {
    const { started, output } = await startProgram(`
      process.on('${signal}', () => { process.stdout.write('tidied up '); process.exit(7); });
      process.stdout.write('ready ');
      setInterval(() => {}, 1000);`);
    await once(started.stdout, 'data');
    started.kill(signal);
    const [code] = await once(started, 'close');
    expect([code, output()]).toEqual([7, `ready tidied up {"code":7,"stoppedBy":"${signal}"}`]);
  });

  it('ended by a signal has the exit code that shells use', async () => {
    const { started, output } = await startProgram(
      `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);`,
    );
    const [code] = await once(started, 'close');
    expect([code, output()]).toEqual([143, '{"code":143,"stoppedBy":null}']);
  });
});
