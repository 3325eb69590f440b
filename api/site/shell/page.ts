import type { PublishedMap } from '../../../pipeline/snapshots/network-map-files.ts';
import type { Punctuality } from '../../history/tally.ts';
import type { Language } from '../texts/languages.ts';
import type { DataOrigin } from './credits.ts';
import type { Html } from './html.ts';

/** A page of the site: HTML made by the server, and a script where it is interactive. */
export interface Page {
  /** As the router takes them: `/stops/:id`. */
  readonly paths: readonly string[];
  /** Folder of its script in `api/site/browser`; absent: it has none. */
  readonly script?: string;
  /** Its name in the main menu, which leads to the first path; absent: it is not listed there. */
  menu?(language: Language): string;
  /** What it shows, in a sentence, for the start page; absent: it is not listed there. */
  summary?(language: Language): string;
  /** Whether there is what the address names; absent: always. Otherwise the page is sent as a 404. */
  isFound?(request: PageRequest): boolean;
  /** Title of the document, without the name of the site. */
  title(request: PageRequest): string;
  /** Other servers that its script may ask, as origins; absent: none. */
  listOrigins?(facts: SiteFacts): readonly string[];
  /** What the page holds before, or without, its script. */
  main(request: PageRequest): Html;
}

export interface PageRequest {
  readonly language: Language;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly facts: SiteFacts;
  /** The pages of the main menu. */
  readonly menu: readonly Page[];
}

/** What pages say of the service, at the time of a request. */
export interface SiteFacts {
  readonly origin: DataOrigin;
  readonly announcements: readonly SiteAnnouncement[];
  /** The default period of the history; null: not computed yet. */
  readonly punctuality: Punctuality | null;
  /** By region, then title. */
  readonly networkMaps: readonly PublishedMap[];
  /** Pictures below the lines of the map; null: the operator has configured none. */
  readonly mapTiles: MapTiles | null;
  /** Where most vehicles call, the most first. */
  readonly busiestStops: readonly NamedStop[];
  /** The id is one of the loaded timetable; null for any other. */
  findStopName(id: string): string | null;
}

/** Pictures of a map from another server. */
export interface MapTiles {
  /** With `{z}`, `{x}` and `{y}`. */
  readonly url: string;
  readonly attribution: string | null;
}

export interface NamedStop {
  readonly id: string;
  readonly name: string;
}

/** An announcement as pages show it. */
export interface SiteAnnouncement {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly kind: string;
  readonly url: string | null;
}
