import type { PublishedMap } from '../../../pipeline/snapshots/network-map-files.ts';
import type { Punctuality } from '../../history/tally.ts';
import type { Language } from '../texts/languages.ts';
import type { TripMode } from '../view-model/trip-modes.ts';
import type { DataOrigin } from './credits.ts';
import type { Html } from './html.ts';
import type { IconName } from './icons.ts';
import type { PageAnswers } from './page-answers.ts';

/** A page of the site: HTML rendered by the server, and a script if it is interactive. */
export interface Page {
  /** In the syntax of the router: `/stops/:id`. */
  readonly paths: readonly string[];
  /** Folder of its script in `api/site/browser`; absent: no script. */
  readonly script?: string;
  /** Name in the main menu, which links to the first path; absent: not in the menu. */
  menu?(language: Language): string;
  /** Icon in the tab bar of phones; absent: there the page is reached through the start page. */
  readonly tab?: IconName;
  /** One sentence about the page for the start page; absent: not listed there. */
  summary?(language: Language): string;
  /** Without header, menu and footer, for screens; absent: with them. */
  readonly isBare?: boolean;
  /** Whether the resource of the URL exists, otherwise the page is sent with status 404; absent: it always exists. */
  isFound?(request: PageRequest): boolean;
  /** Document title, without the name of the site. */
  title(request: PageRequest): string;
  /** Origins of other servers that its script may request; absent: none. */
  listOrigins?(facts: SiteFacts): readonly string[];
  /** Paths of the data that `main` renders and with which the script starts; absent: none. */
  listData?(request: PageRequest): readonly string[];
  /** Address to redirect to, given the data of `listData`; null or absent: the page is sent. */
  findOtherAddress?(request: PageRequest): string | null;
  /** Content of the page before its script runs, or without it. */
  main(request: PageRequest): Html;
}

export interface PageRequest {
  readonly language: Language;
  /** Scheme and host under which others reach the service. */
  readonly origin: string;
  /** Query of the URL. */
  readonly query: URLSearchParams;
  /** Answers to `listData`, by path; empty while the paths are listed. */
  readonly answers: PageAnswers;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly facts: SiteFacts;
  /** The pages of the main menu. */
  readonly menu: readonly Page[];
}

/** State of the service at the time of a request, for all pages. */
export interface SiteFacts {
  readonly origin: DataOrigin;
  readonly announcements: readonly SiteAnnouncement[];
  /** The default period of the history; null: not computed yet. */
  readonly punctuality: Punctuality | null;
  /** By region, then title. */
  readonly networkMaps: readonly PublishedMap[];
  /** Base tiles of the map; null: none are configured. */
  readonly mapTiles: MapTiles | null;
  /** Whether a sharing system has responded. */
  readonly hasSharing: boolean;
  /** Modes that the service can plan. */
  readonly tripModes: readonly TripMode[];
  /** Public key with which pages subscribe to pushes, base64url; `null` without watches. */
  readonly pushKey: string | null;
  /** Stops with the most calls, in descending order. */
  readonly busiestStops: readonly NamedStop[];
  /** Finds a stop of the loaded timetable by id; null if there is none. */
  findStopName(id: string): string | null;
}

/** Base tiles of a map from another server. */
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
