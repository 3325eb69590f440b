import type { Config } from '../../pipeline/config/load-config.ts';
import { type StoreName, storeNames } from '../../pipeline/scale-out/object-store/store-rules.ts';

/** Which stores of the data folder a job fetches before it runs, and publishes afterwards. */
interface JobStores {
  readonly reads: readonly StoreName[];
  readonly writes: readonly StoreName[];
}

const RAW: readonly StoreName[] = ['raw answers', 'index of raw answers'];
const FEEDS: readonly StoreName[] = ['raw', 'as published', 'typed', 'manifest', 'publications', 'snapshots'];
/** Small, and written by people and commands rather than by jobs: they cannot be made again. */
export const storesByHand: readonly StoreName[] = ['format', 'announcements', 'streets', 'places'];

/** Large, or written so often that they are old when they arrive. */
const RARELY_READ: readonly StoreName[] = ['raw', ...RAW, 'realtime snapshots', 'Iceberg tables'];
const usual = storeNames.filter((store) => !RARELY_READ.includes(store));

/** What a job writes; the names of the stores are those of docs/lake.md. */
const written: Readonly<Record<string, readonly StoreName[]>> = {
  'generate-sample': [],
  'ingest-timetable': [...FEEDS, 'credits', 'guide'],
  'build-network-maps': ['network maps'],
  'poll-realtime': [...RAW, 'observations', 'predictions', 'credits', 'realtime snapshots'],
  // The manifest of a day names the files that it was built from.
  'compact-observations': [...RAW, 'observations', 'stop events'],
  'rebuild-observations': ['observations'],
  'finalise-stop-events': ['stop events'],
  'import-history': ['stop events', 'imports'],
  'build-sample-history': ['stop events', 'imports', 'credits'],
  'build-marts': ['stop events', 'marts', 'history snapshots', 'guide'],
  'build-features': ['features'],
  'train-predictions': ['models'],
  'evaluate-predictions': ['marts', 'prediction metrics', 'snapshots of these metrics', 'guide'],
  'compact-predictions': ['predictions'],
  'check-data': [],
  'drop-old-days': storeNames.filter((store) => store !== 'realtime snapshots' && store !== 'Iceberg tables'),
  'publish-iceberg': ['Iceberg tables'],
  'expire-iceberg': ['Iceberg tables'],
  'collect-objects': [],
};

/** What a job reads beyond the usual. */
const readBesides: Readonly<Record<string, readonly StoreName[]>> = {
  'ingest-timetable': ['raw'],
  'rebuild-observations': RAW,
  'publish-iceberg': ['Iceberg tables'],
  'expire-iceberg': ['Iceberg tables'],
};

/** Jobs that need nothing of the lake. */
const readNothing = ['generate-sample', 'collect-objects'];

/** Names of jobs whose stores are stated here: all of them. */
export const jobsWithStores = Object.keys(written);

/** Publishes the Iceberg tables of its queries, if the engine is Trino. */
const queriesTrino = ['build-marts'];

/** The stores of a job; one that is not stated may write all that is usual. */
export function storesOf(job: string, engine: Config['engine']): JobStores {
  const queried: readonly StoreName[] = engine === 'trino' && queriesTrino.includes(job) ? ['Iceberg tables'] : [];
  const reads = readNothing.includes(job) ? [] : [...usual, ...(readBesides[job] ?? []), ...queried];
  return { reads, writes: [...new Set([...(written[job] ?? usual), ...queried, ...storesByHand])] };
}
