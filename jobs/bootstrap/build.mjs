import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const STAMP = path.join('dist', '.taktgeber-build');
/** What the compiler writes, and the same program in fewer files. */
const COMPILED = path.join('dist', 'jobs', 'commands', 'cli.js');
export const PROGRAM = path.join('dist', 'program', 'jobs', 'commands', 'cli.js');
const SITE = path.join('dist', 'site', 'manifest.json');
const SOURCES = ['pipeline', 'api', 'jobs', 'test', 'tsconfig.json', 'vitest.config.ts', 'package-lock.json'];

/**
 * Whether the sources are newer than the build, or there is no build.
 * @param {string} root the project's folder
 */
export function isBuildDue(root) {
  // An installed package contains its build, but no sources.
  if (!existsSync(path.join(root, 'tsconfig.json'))) return false;
  if ([COMPILED, PROGRAM, SITE, STAMP].some((file) => !existsSync(path.join(root, file)))) {
    // With its incremental build file the compiler would assume that all output exists.
    rmSync(path.join(root, 'dist', 'tsbuildinfo'), { force: true });
    return true;
  }
  return readFileSync(path.join(root, STAMP), 'utf8') !== stampText(root);
}

/** Written after a successful build, for the sources as they were before it: later changes are built next time. */
export function writeBuildStamp(root, text) {
  writeFileSync(path.join(root, STAMP), text);
}

/** Hash of names, sizes and times of all sources. */
export function stampText(root) {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of listFiles(path.join(root, source))) {
      const { size, mtimeMs } = statSync(file);
      hash.update(`${path.relative(root, file)} ${size} ${mtimeMs}\n`);
    }
  }
  return `${hash.digest('hex')}\n`;
}

function listFiles(place) {
  if (!existsSync(place)) return [];
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place, { recursive: true })
    .filter((name) => /\.(tsx?|mjs|css)$/.test(name))
    .sort()
    .map((name) => path.join(place, name));
}
