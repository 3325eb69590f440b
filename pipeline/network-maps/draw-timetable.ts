import { createHash } from 'node:crypto';
import { readProjectFile } from '../effects/project-files.ts';
import { readSourceCredits } from '../lake/source-credits.ts';
import type { ServiceDate } from '../model/service-time.ts';
import type { PublishedMap } from '../snapshots/network-map-files.ts';
import type { TimetableManifest, TimetableSnapshot, TimetableTables } from '../snapshots/timetable-contract.ts';
import { parsePlaces } from '../timetable/snapshot/stop-tables.ts';
import { chooseMaps } from './drawing/choose-maps.ts';
import { drawMap } from './drawing/draw-map.ts';
import type { MapLanguage } from './drawing/map-texts.ts';
import { readLines, type TimetableLine } from './drawing/read-lines.ts';

const TOWNS = 'data/lookups/places.csv';

/** Inputs of the maps besides the tables of the timetable. */
interface DrawingInput {
  readonly language: MapLanguage;
  /** Day since 1970; the versions that apply on it are drawn. */
  readonly day: number;
  readonly credits: Awaited<ReturnType<typeof readSourceCredits>>;
  /** The text of the list of towns. */
  readonly towns: string;
}

export async function readDrawingInput(dataDir: string, language: MapLanguage, day: number): Promise<DrawingInput> {
  return { language, day, credits: await readSourceCredits(dataDir), towns: await readProjectFile(TOWNS) };
}

/** Versions of the timetable that apply on a day, as rows of `feeds`. */
export function listFeedsInForce({ feeds }: TimetableTables, day: number): number[] {
  return Array.from(feeds.source, (_, feed) => feed).filter(
    (feed) => feeds.firstDay[feed]! <= day && day <= feeds.lastDay[feed]!,
  );
}

export interface DrawnFile {
  readonly map: PublishedMap;
  readonly content: Buffer;
  readonly stations: number;
  /** Stations without a placed name. */
  readonly unlabelled: number;
}

/** Draws all maps of a timetable, one after the other. */
export function* drawTimetable({ tables, manifest }: TimetableSnapshot, input: DrawingInput): Generator<DrawnFile> {
  const inForce = new Set(listFeedsInForce(tables, input.day));
  const lines = readLines(tables, (feed) => inForce.has(feed));
  for (const choice of chooseMaps(lines, parsePlaces(input.towns), input.language)) {
    const validFrom = findValidity(tables, manifest, choice.lines);
    const attribution = findAttribution(tables, input, choice.lines);
    const { svg, layoutKind, network, unlabelled } = drawMap(choice, lines.places, {
      language: input.language,
      validFrom,
      attribution,
    });
    const content = Buffer.from(svg);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const { id, title, region } = choice;
    const file = `${id}-${sha256.slice(0, 16)}.svg`;
    const facts = { format: 'svg' as const, file, bytes: content.length, sha256 };
    const map = { id, title, region, ...facts, validFrom, attribution, layout: layoutKind };
    yield { map, content, stations: network.stations.length, unlabelled: unlabelled.length };
  }
}

function listFeeds(lines: readonly TimetableLine[]): number[] {
  return [...new Set(lines.flatMap(({ feeds }) => feeds))].sort((a, b) => a - b);
}

/** The first day on which all versions of a map apply; null without any. */
function findValidity(
  { feeds, sources }: TimetableTables,
  manifest: TimetableManifest,
  lines: readonly TimetableLine[],
) {
  const days = listFeeds(lines).flatMap((feed): ServiceDate[] => {
    const sourceId = sources.sourceId.get(feeds.source[feed]!);
    const source = manifest.sources.find((one) => one.sourceId === sourceId);
    const version = source?.versions.find(({ feedVersion }) => feedVersion === feeds.feedVersion.get(feed));
    return version?.beginDate ? [version.beginDate] : [];
  });
  return days.sort().at(-1) ?? null;
}

function findAttribution(
  { feeds, sources }: TimetableTables,
  { credits }: DrawingInput,
  lines: readonly TimetableLine[],
) {
  const texts = listFeeds(lines).flatMap((feed) => {
    const credit = credits[sources.sourceId.get(feeds.source[feed]!)];
    if (!credit?.attribution) return [];
    return [credit.licence === null ? credit.attribution : `${credit.attribution} (${credit.licence})`];
  });
  return texts.length === 0 ? null : [...new Set(texts)].join('; ');
}
