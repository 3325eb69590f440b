import { stat } from 'node:fs/promises';
import { isSystemError } from '../../effects/external-error.ts';
import { withoutCredentials } from '../../effects/http.ts';

/** Location of a feed: a file, a folder or a URL, and its folder within the archive. */
export interface FeedLocation {
  /** Path, or http(s) address without fragment. */
  readonly place: string;
  readonly isAddress: boolean;
  /** The part after `#`; null: the archive contains a single feed. */
  readonly selection: string | null;
  /** For storage and display: without credentials, with the selection. */
  readonly shown: string;
}

/**
 * Parses the location of a feed. File names may contain `#`, so the longest existing part of a path is the file.
 * @param location as configured: `feed.zip`, `feed.zip#folder`, `https://example.org/feed.zip#folder`
 */
export async function parseFeedLocation(location: string): Promise<FeedLocation> {
  const isAddress = /^https?:\/\//i.test(location);
  const { place, typed } = isAddress ? splitAddress(location) : await splitPath(location);
  const selection = typed === '' ? null : typed;
  const shown = `${withoutCredentials(place)}${selection === null ? '' : `#${selection}`}`;
  return { place, isAddress, selection, shown };
}

function splitAddress(location: string): { place: string; typed: string } {
  const at = location.indexOf('#');
  if (at < 0) return { place: location, typed: '' };
  return { place: location.slice(0, at), typed: decode(location.slice(at + 1)) };
}

/** In a URL, `Graz%20Linien` and `Graz Linien` are equivalent. */
function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) return fragment;
    throw error;
  }
}

async function splitPath(location: string): Promise<{ place: string; typed: string }> {
  for (let end = location.length; end > 0; end = location.lastIndexOf('#', end - 1)) {
    const place = location.slice(0, end);
    if (await exists(place)) return { place, typed: location.slice(end + 1) };
  }
  return { place: location, typed: '' };
}

async function exists(place: string): Promise<boolean> {
  try {
    await stat(place);
    return true;
  } catch (error) {
    // Other failures are reported when the file is read.
    return !isSystemError(error, 'ENOENT') && !isSystemError(error, 'ENOTDIR');
  }
}
