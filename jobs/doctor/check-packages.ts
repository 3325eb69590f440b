import path from 'node:path';
import { findJson } from '../../pipeline/effects/files.ts';
import { projectRoot } from '../../pipeline/effects/project-files.ts';
import { type Finding, good, warning } from './finding.ts';

interface Lock {
  /** By place, e.g. `node_modules/pg`; the empty place is the program itself. */
  readonly packages: Readonly<Record<string, { readonly version: string; readonly optional?: boolean }>>;
}

/** Differing packages that the finding names. */
const MAX_NAMED = 3;

/**
 * Whether the packages of an installed program have the versions of its lock. `npm ci` in its folder installs these;
 * `npm install` of the tarball ignores the lock, and installs packages beside the program instead of below it.
 * @param root folder of the program
 * @returns null for a checkout, which has no such lock
 */
export async function checkPackages(root = projectRoot): Promise<Finding | null> {
  const about = 'packages';
  const lock = await findJson<Lock>(path.join(root, 'npm-shrinkwrap.json'));
  if (lock === null) return null;
  const locked = Object.entries(lock.packages).filter(([place]) => place !== '');
  const differing: string[] = [];
  for (const [place, { version, optional = false }] of locked) {
    const installed = await findVersion(root, place);
    if (installed === version || (installed === null && optional)) continue;
    const name = place.replace(/^.*node_modules\//, '');
    differing.push(`${name} is ${installed ?? 'missing'} instead of ${version}`);
  }
  if (differing.length === 0) return good(about, 'all have the locked versions');
  const named = differing.slice(0, MAX_NAMED).join(', ');
  const rest = differing.length > MAX_NAMED ? `, and ${differing.length - MAX_NAMED} more` : '';
  return warning(about, `${named}${rest}`, 'install with "npm ci", as in docs/operations.md, "Installing"');
}

/** @returns null where the package is missing */
async function findVersion(root: string, place: string): Promise<string | null> {
  const beside = path.basename(path.dirname(root)) === 'node_modules' ? [path.join(root, '..', '..')] : [];
  for (const folder of [root, ...beside]) {
    const manifest = await findJson<{ readonly version: string }>(path.join(folder, place, 'package.json'));
    if (manifest !== null) return manifest.version;
  }
  return null;
}
