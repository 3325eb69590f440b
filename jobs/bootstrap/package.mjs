import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Where `package.json` waits while npm packs another one. */
const KEPT = '.package.json.packing';

/**
 * Prepares the project for `npm pack`, which packs no `package-lock.json`: writes `npm-shrinkwrap.json`, the lock of the
 * installed program, and a `package.json` without tools of development, for whose absence `npm sbom` would refuse.
 * @param {string} root the project's folder
 */
export function preparePackage(root) {
  restoreProject(root);
  const manifest = readJson(path.join(root, 'package.json'));
  copyFileSync(path.join(root, 'package.json'), path.join(root, KEPT));
  writeJson(path.join(root, 'npm-shrinkwrap.json'), toShrinkwrap(readJson(path.join(root, 'package-lock.json'))));
  writeJson(path.join(root, 'package.json'), withoutTools(manifest));
}

/**
 * Undoes `preparePackage`, also after an `npm pack` that was killed: npm would read and write the shrinkwrap instead of
 * `package-lock.json`.
 * @param {string} root the project's folder
 */
export function restoreProject(root) {
  rmSync(path.join(root, 'npm-shrinkwrap.json'), { force: true });
  if (existsSync(path.join(root, KEPT))) renameSync(path.join(root, KEPT), path.join(root, 'package.json'));
}

/**
 * Reduces a `package-lock.json` to the packages of the installed program, for every platform.
 * @param {{ packages: Record<string, { dev?: boolean }> }} lock
 */
export function toShrinkwrap(lock) {
  const { '': project, ...packages } = lock.packages;
  const kept = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  return { ...lock, packages: { '': withoutTools(project), ...Object.fromEntries(kept) } };
}

function withoutTools({ devDependencies: _tools, ...manifest }) {
  return manifest;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
