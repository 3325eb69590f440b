import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isBuildDue, PROGRAM, stampText, writeBuildStamp } from './build.mjs';
import { bundleProgram } from './bundle-program.mjs';
import { bundleSite } from './bundle-site.mjs';
import { exitCodeOf, runChild } from './child.mjs';
import { findInstallReason, npmCommand, removeInstallStamp, writeInstallStamp } from './install.mjs';
import { preparePackage, restoreProject } from './package.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const browserProject = path.join('api', 'site', 'browser');
const tools = {
  tsc: path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
  biome: path.join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'),
  vitest: path.join(root, 'node_modules', 'vitest', 'vitest.mjs'),
};

/** Steps report on stderr, so that stdout holds only the task's own output. */
const toStderr = ['inherit', 2, 2];

const tasks = {
  build: async () => {
    await install();
    await build();
  },
  prepack: async () => {
    await install();
    await build();
    preparePackage(root);
  },
  postpack: async () => restoreProject(root),
  start: async (args) => {
    await install();
    await build();
    // `up` ends in order on a signal, so its exit code is used; the channel ends it when this process has died.
    const command = ['--enable-source-maps', path.join(root, PROGRAM), 'up', ...args];
    await finishWith(command, { cwd: npmWorkingDirectory(), stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  },
  test: async (args) => {
    await install();
    // Concurrently: a check that waits for the disk or another thread leaves its core to the others.
    const checks = Promise.all([
      check('types are right', [tools.tsc, '--noEmit'], 'The types are wrong, see above.'),
      check(
        'types of the pages are right',
        [tools.tsc, '--noEmit', '-p', browserProject],
        'The types of the pages are wrong.',
      ),
      check('lint is clean', [tools.biome, 'check', '--error-on-warnings'], 'Lint found something, see above.'),
    ]);
    const tests = [tools.vitest, 'run', '--project', 'unit', '--project', 'isolated', ...args];
    const { code } = await runChild(process.execPath, tests, { cwd: root });
    const complaints = (await checks).flat();
    for (const complaint of complaints) process.stderr.write(`taktgeber: ${complaint}\n`);
    process.exit(code === 0 && complaints.length > 0 ? 1 : code);
  },
  'test:slow': async (args) => {
    await install();
    await finishWith([tools.vitest, 'run', '--project', 'slow', '--project', 'slow-isolated', ...args]);
  },
  'test:browser': async (args) => {
    await install();
    await build();
    await finishWith([tools.vitest, 'run', '--project', 'browser', ...args]);
  },
  'test:real': async (args) => {
    const data = path.resolve(root, process.env.TAKTGEBER_REAL_DATA || '../shared/data');
    if (!existsSync(data)) leave(1, `The real recordings are not in ${data}; TAKTGEBER_REAL_DATA names their folder.`);
    await install();
    await finishWith([tools.vitest, 'run', '--project', 'real', ...args], {
      env: { ...process.env, TAKTGEBER_REAL_DATA: data },
    });
  },
  bench: async (args) => {
    await install();
    await build();
    await finishWith(['--enable-source-maps', path.join(root, 'dist', 'test', 'bench', 'run.js'), ...args]);
  },
  interop: async (args) => {
    await install();
    await build();
    await finishWith(['--enable-source-maps', path.join(root, 'dist', 'test', 'interop', 'run.js'), ...args]);
  },
  release: async (args) => {
    await install();
    await build();
    await finishWith(['--enable-source-maps', path.join(root, 'dist', 'test', 'release', 'run.js'), ...args]);
  },
  client: async (args) => {
    await install();
    await build();
    await finishWith(['--enable-source-maps', path.join(root, 'dist', 'test', 'client', 'run.js'), ...args]);
  },
  'base-map': async (args) => {
    await install();
    await build();
    const command = ['--enable-source-maps', path.join(root, 'dist', 'test', 'base-map', 'run.js'), ...args];
    await finishWith(command, { cwd: npmWorkingDirectory() });
  },
  evaluate: async (args) => {
    await install();
    await build();
    const command = ['--enable-source-maps', path.join(root, 'dist', 'test', 'evaluation', 'run.js'), ...args];
    await finishWith(command, { cwd: npmWorkingDirectory() });
  },
};

/**
 * Runs one of the tasks and ends this process with its exit code.
 * @param {string | undefined} name
 * @param {string[]} args passed to the task
 */
export async function runTask(name, args) {
  const task = tasks[name];
  if (!task) leave(2, `usage: node jobs/bootstrap.mjs ${Object.keys(tasks).join('|')}`);
  await task(args);
}

/** Runs the command line in this process, after installing and building if needed. */
export async function runProgram() {
  if (!existsSync(path.join(root, PROGRAM))) await install();
  if (isBuildDue(root)) {
    await install();
    await build();
  }
  process.setSourceMapsEnabled(true);
  await import('../../dist/program/jobs/commands/cli.js');
}

async function install() {
  restoreProject(root);
  const started = performance.now();
  const reason = findInstallReason(root);
  if (reason === null) return report('packages are in place', started);
  report(`installing packages, ${reason}`, started);
  removeInstallStamp(root);
  if (!(await runNpm('ci', '--loglevel=silent'))) {
    // `npm ci` refuses a lock file that was written with a registry without other platforms' binaries; the file still
    // names the versions to install, and `--no-save` leaves it unchanged.
    process.stderr.write('taktgeber: npm ci refused, trying npm install with the same versions\n');
    if (!(await runNpm('install', '--no-save'))) {
      leave(1, 'npm could not install the packages, see above. Is the registry within reach? Then try: npm install');
    }
  }
  writeInstallStamp(root);
  report('packages are installed', started);
}

async function runNpm(...args) {
  const npm = npmCommand();
  const always = ['--include=dev', '--prefer-offline', '--no-audit', '--no-fund'];
  const { code, stoppedBy } = await runChild(npm.file, [...npm.args, ...args, ...always], {
    cwd: root,
    stdio: toStderr,
  }).catch((error) => leave(1, `npm cannot be run (${error.code}): it comes with Node, see https://nodejs.org`));
  leaveIfStopped(stoppedBy);
  return code === 0;
}

async function build() {
  if (!isBuildDue(root)) return report('the build is up to date', performance.now());
  const stamp = stampText(root);
  await step('built', [tools.tsc], 'The build failed, see above.', toStderr);
  let started = performance.now();
  await bundleProgram(root).catch((error) => leave(1, `The program could not be bundled: ${error.message}`));
  report('the program is bundled', started);
  started = performance.now();
  await bundleSite(root).catch((error) => leave(1, `The pages could not be bundled: ${error.message}`));
  report('pages are bundled', started);
  writeBuildStamp(root, stamp);
}

/** Runs a tool of the project; the task fails when it fails. */
async function step(done, command, complaint, stdio = 'inherit') {
  const started = performance.now();
  const { code, stoppedBy } = await runChild(process.execPath, command, { cwd: root, stdio });
  leaveIfStopped(stoppedBy);
  if (code !== 0) leave(1, complaint);
  report(done, started);
}

/**
 * Runs a tool of the project concurrently with others.
 * @returns `complaint` if it failed
 */
async function check(done, command, complaint) {
  const started = performance.now();
  const { code, stoppedBy } = await runChild(process.execPath, command, { cwd: root });
  if (code !== 0) return stoppedBy ? [] : [complaint];
  report(done, started);
  return [];
}

/** Runs the main and last part of a task, whose exit code becomes ours. */
async function finishWith(command, options = {}) {
  const { code } = await runChild(process.execPath, command, { cwd: root, ...options });
  process.exit(code);
}

/** Working directory of the npm call; npm itself changes to the project's folder. */
function npmWorkingDirectory() {
  const { npm_package_json: packageFile, INIT_CWD: typedIn } = process.env;
  const isOurs =
    packageFile !== undefined && existsSync(packageFile) && isSame(packageFile, path.join(root, 'package.json'));
  return isOurs && typedIn && existsSync(typedIn) ? typedIn : process.cwd();
}

function isSame(one, other) {
  return realpathSync(one) === realpathSync(other);
}

function leaveIfStopped(signal) {
  if (signal !== null) process.exit(exitCodeOf(signal));
}

function report(what, started) {
  process.stderr.write(`taktgeber: ${what} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
}

function leave(code, sentence) {
  process.stderr.write(`\n${sentence}\n`);
  process.exit(code);
}
