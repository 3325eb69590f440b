import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Written after a successful installation; deleted together with `node_modules`. */
const STAMP = path.join('node_modules', '.taktgeber-install');

/**
 * Returns why packages must be installed.
 * @param {string} root the project's folder
 * @returns {string | null} null when all packages of package-lock.json are installed
 */
export function findInstallReason(root) {
  if (!existsSync(path.join(root, 'node_modules'))) return 'node_modules is missing';
  if (readText(path.join(root, STAMP)) === stampText(root)) return null;
  const missing = findMissingPackage(root);
  if (missing !== null) return `${missing} is missing or of another version`;
  // The packages were installed by hand and match.
  writeInstallStamp(root);
  return null;
}

export function writeInstallStamp(root) {
  writeFileSync(path.join(root, STAMP), stampText(root));
}

/** Removed before an installation, so that an interrupted one counts as none. */
export function removeInstallStamp(root) {
  rmSync(path.join(root, STAMP), { force: true });
}

/**
 * Returns the npm that runs us, else the one on the path.
 * @returns {{ file: string, args: string[] }}
 */
export function npmCommand(env = process.env) {
  const script = env.npm_execpath;
  if (script && path.basename(script) === 'npm-cli.js') return { file: process.execPath, args: [script] };
  return { file: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] };
}

/** Hash of the lock file and the platform of the binaries. */
function stampText(root) {
  const lock = readFileSync(path.join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}\n`;
}

/** Compares the lock file with npm's list of installed packages. */
function findMissingPackage(root) {
  const installed = readText(path.join(root, 'node_modules', '.package-lock.json'));
  if (installed === null) return 'the list of installed packages';
  const there = JSON.parse(installed).packages;
  const wanted = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  // Direct optional dependencies: npm tolerates a failure, but the installation must have been tried.
  const named = Object.keys(wanted['']?.optionalDependencies ?? {}).map((name) => `node_modules/${name}`);
  for (const [place, { version, ...facts }] of Object.entries(wanted)) {
    if (place === '' || !(isForThisMachine(facts) || named.includes(place))) continue;
    if (there[place]?.version !== version || !existsSync(path.join(root, place))) return place;
  }
  return null;
}

function isForThisMachine({ optional, os, cpu, libc }) {
  if (os && !os.includes(process.platform)) return false;
  if (cpu && !cpu.includes(process.arch)) return false;
  if (libc && !libc.includes(libcOfThisMachine())) return false;
  // An optional package without conditions may have failed to build, which npm tolerates.
  return !optional || Boolean(os ?? cpu ?? libc);
}

function libcOfThisMachine() {
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
