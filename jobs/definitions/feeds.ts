import path from 'node:path';
import type { Config } from '../../pipeline/config/load-config.ts';
import { isAddress, resolveLocation, type SourceConfig } from '../../pipeline/config/source-config.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { isSourceId, type SourceId } from '../../pipeline/model/ids.ts';
import type { Feed, JobOptions } from '../job/job.ts';

/**
 * Parses the values of `--gtfs`: `path`, `address`, or either after `id=`. Without an id, it is derived from the file
 * name.
 * @param cwd where relative paths start
 * @throws UsageError for an id that is invalid or given twice
 */
export function parseFeeds(typed: readonly string[], cwd: string): Feed[] {
  const feeds = typed.map((text) => parseFeed(text, cwd));
  for (const [index, { id }] of feeds.entries()) {
    if (feeds.findIndex((feed) => feed.id === id) !== index) {
      throw new UsageError(`two feeds are called "${id}"; distinguish them with --gtfs ${id}2=…`);
    }
  }
  return feeds;
}

/**
 * Returns the feeds of a run; empty when none is configured, which means the built-in sample.
 * @throws UsageError for a source that is not configured
 */
export function chooseFeeds(config: Config, options: JobOptions): readonly Feed[] {
  if (options.feeds) return options.feeds;
  const feeds = config.sources.map((source) => toFeed(source, config));
  return options.sourceIds?.map((id) => getFeed(feeds, id)) ?? feeds;
}

function toFeed(source: SourceConfig, { mvo }: Pick<Config, 'mvo'>): Feed {
  const { id, headers, stopAfterValidity, fixes, zone } = source;
  const isRepaired = fixes.length > 0 || zone !== null;
  const common = {
    id,
    headers,
    ...(stopAfterValidity ? { stopAfterValidity } : {}),
    ...(isRepaired ? { repairs: { fixes, zone } } : {}),
  };
  if (source.kind === 'gtfs') return { ...common, location: source.gtfs };
  return { ...common, location: `${mvo.url}/data-sets/${source.dataSet}`, dataSet: source.dataSet };
}

function parseFeed(text: string, cwd: string): Feed {
  const named = /^([A-Za-z0-9_-]+)=(.+)$/.exec(text);
  const location = named?.[2] ?? text;
  const id = named?.[1] ?? idFromLocation(location);
  if (!isSourceId(id)) {
    throw new UsageError(`"${id}" cannot name a feed; write --gtfs id=${location} with an id of a-z, 0-9, "_" and "-"`);
  }
  return { id, location: resolveLocation(location, cwd), headers: {} };
}

/** `…/Vienna U-Bahn.zip` becomes `vienna-u-bahn`, `…/all.zip#Graz` becomes `all-graz`. */
function idFromLocation(location: string): string {
  const url = isAddress(location) && URL.canParse(location) ? new URL(location) : null;
  return path
    .basename(url === null ? location : `${url.pathname}${url.hash}`)
    .replace(/\.zip(?=#|$)/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^[-_]+|-+$/g, '')
    .slice(0, 40);
}

function getFeed(feeds: readonly Feed[], id: SourceId): Feed {
  const feed = feeds.find((candidate) => candidate.id === id);
  if (feed) return feed;
  const known = feeds.length > 0 ? `configured: ${feeds.map((one) => one.id).join(', ')}` : 'none is configured';
  throw new UsageError(`there is no source "${id}"; ${known}`);
}
