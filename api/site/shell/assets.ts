import { readFile } from 'node:fs/promises';
import { projectPath } from '../../../pipeline/effects/project-files.ts';

/** What the build wrote for browsers: see jobs/bootstrap/bundle-site.mjs. */
export interface SiteAssets {
  /** Folder of the files; null: the site is not built, and pages are what the server makes of them. */
  readonly folder: string | null;
  /** By folder of `api/site/browser`. */
  readonly entries: Readonly<Record<string, EntryAssets>>;
  /** Text of the licences of all packages whose code is in the scripts. */
  readonly licences?: string;
}

/** Names of files in the folder. */
interface EntryAssets {
  readonly script: string;
  /** Chunks that the script imports. */
  readonly imports: readonly string[];
  readonly style: string | null;
}

export const noAssets: SiteAssets = { folder: null, entries: {} };

/** Reads what `npm run build` has written; `noAssets` where it has not run, as in most tests. */
export async function readSiteAssets(): Promise<SiteAssets> {
  const folder = projectPath('dist/site');
  try {
    return { folder, ...JSON.parse(await readFile(projectPath('dist/site/manifest.json'), 'utf8')) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return noAssets;
    throw error;
  }
}

/** Address of a file of the build. */
export function assetAddress(fileName: string): string {
  return `/site/${fileName}`;
}
