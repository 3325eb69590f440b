import { readFile } from 'node:fs/promises';
import { projectPath } from '../../../pipeline/effects/project-files.ts';

/** Output of the browser build, see jobs/bootstrap/bundle-site.mjs. */
export interface SiteAssets {
  /** Folder of the files; null: the site is not built, and pages have neither style nor script. */
  readonly folder: string | null;
  /** Files of each page, by its folder in `api/site/browser`. */
  readonly entries: Readonly<Record<string, EntryAssets>>;
  readonly pictures?: SitePictures;
  /** Licence texts of all packages that the scripts contain. */
  readonly licences?: string;
}

/** PNG files, for clients that do not accept the SVG of the logo. */
interface SitePictures {
  readonly icons: readonly { readonly pixels: number; readonly file: string }[];
  /** Preview of shared links. */
  readonly preview: { readonly file: string; readonly width: number; readonly height: number };
}

/** Names of files in the folder. */
interface EntryAssets {
  readonly script: string;
  /** Chunks that the script imports. */
  readonly imports: readonly string[];
  readonly style: string | null;
}

export const noAssets: SiteAssets = { folder: null, entries: {} };

/** Reads the output of `npm run build`; returns `noAssets` if it has not run, as in most tests. */
export async function readSiteAssets(): Promise<SiteAssets> {
  const folder = projectPath('dist/site');
  try {
    return { folder, ...JSON.parse(await readFile(projectPath('dist/site/manifest.json'), 'utf8')) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return noAssets;
    throw error;
  }
}

/** Path at which a built file is served. */
export function assetAddress(fileName: string): string {
  return `/site/${fileName}`;
}
