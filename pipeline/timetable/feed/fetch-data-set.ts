import type { Clock } from '../../effects/clock.ts';
import { ExternalError } from '../../effects/external-error.ts';
import type { Http } from '../../effects/http.ts';
import type { Log } from '../../effects/log.ts';
import type { RawFile } from '../../lake/raw-store.ts';
import type { SourceId } from '../../model/ids.ts';
import { type FetchSettings, fetchFeed } from './fetch-feed.ts';
import type { MvoPlatform } from './mvo-platform.ts';

/** A source whose feed is a data set of the platform of the Mobilitätsverbünde. */
interface DataSetSource {
  readonly id: SourceId;
  readonly dataSet: number;
}

interface DataSetRequest {
  readonly source: DataSetSource;
  /** Data sets of all configured sources, to recognise a Flex edition beside its plain twin. */
  readonly configured: readonly number[];
  readonly platform: MvoPlatform;
  readonly dataDir: string;
  readonly settings: FetchSettings;
  readonly isForced: boolean;
}

/**
 * Fetches a data set into the raw store: its newest timetable year and, until that begins, the one before.
 * @returns one raw file per distinct content, in rising order of years
 * @throws ExternalError those of `MvoPlatform` and `fetchFeed`
 */
export async function fetchDataSet(
  request: DataSetRequest,
  effects: { readonly clock: Clock; readonly http: Http; readonly log: Log },
): Promise<RawFile[]> {
  const { source, platform, configured } = request;
  await platform.refusePlainTwin(source.dataSet, configured);
  const raws = new Map<string, RawFile>();
  const files = await platform.listFiles(source.dataSet);
  for (const [index, { year, address }] of files.entries()) {
    const isNewest = index === files.length - 1;
    const feed = { id: source.id, location: address, ...(isNewest ? {} : { statePart: String(year) }) };
    const raw = await download(request, feed, effects);
    // At the change of years both addresses may serve the same file.
    raws.set(raw.version, raw);
  }
  return [...raws.values()];
}

/** Repeats a transfer once if the platform ended it because the token expired meanwhile. */
async function download(
  { source, platform, dataDir, settings, isForced }: DataSetRequest,
  feed: Parameters<typeof fetchFeed>[0],
  effects: { readonly clock: Clock; readonly log: Log },
): Promise<RawFile> {
  const attempt = () => fetchFeed(feed, dataDir, settings, { ...effects, http: platform.http }, { isForced });
  try {
    return await attempt().catch((error: unknown) => {
      const isCutOff = error instanceof ExternalError && error.code === 'http_cut_off';
      if (!isCutOff || !platform.isTokenExpired) throw error;
      return attempt();
    });
  } catch (error) {
    throw await platform.explain(error, source.dataSet);
  }
}
