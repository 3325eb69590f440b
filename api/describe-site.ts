import { nowInstant } from '../pipeline/effects/clock.ts';
import type { Instant } from '../pipeline/model/service-time.ts';
import { type Announcement, listActive } from '../pipeline/snapshots/parse-announcements.ts';
import { SAMPLE_PLACES } from '../pipeline/snapshots/places-contract.ts';
import type { ApiEffects } from './api-config.ts';
import type { PlacesIndex } from './engine/places/place-index.ts';
import { presentStop } from './engine/read/present.ts';
import type { Realtime } from './engine/read/realtime.ts';
import { findStop } from './engine/read/stop-ids.ts';
import type { Timetable } from './engine/read/timetable.ts';
import { listBusiestStops } from './engine/search/stops.ts';
import { openSharing } from './engine/sharing/open-sharing.ts';
import { findPunctuality, type holdHistory } from './history/watch-history.ts';
import { findMapFile, type holdNetworkMaps } from './network-maps.ts';
import { rememberLast } from './plugins/remember-last.ts';
import type { SnapshotHolder } from './plugins/route-handler.ts';
import { serverUrl } from './server.ts';
import { listExamples } from './site/pages/examples.ts';
import { readSiteAssets } from './site/shell/assets.ts';
import type { CreditedSource } from './site/shell/credits.ts';
import type { MapTiles, NamedStop } from './site/shell/page.ts';
import type { SiteOptions } from './site/site.ts';
import { listTripModes, type VehicleStreets } from './site/view-model/trip-modes.ts';

/** The part of the configuration that pages show. */
interface SiteConfig {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
  readonly explore: { readonly clients: 'none' | 'loopback' | 'all' };
  readonly map: { readonly tilesUrl: string | null; readonly tilesAttribution: string | null };
  /** Publishers of timetables. */
  readonly sources: readonly CreditedSource[];
}

/** The live data that pages show. */
interface Held {
  readonly timetables: SnapshotHolder<Timetable>;
  readonly realtimes: SnapshotHolder<Realtime>;
  readonly histories: Awaited<ReturnType<typeof holdHistory>>;
  readonly announcements: SnapshotHolder<readonly Announcement[]>;
  readonly networkMaps: Awaited<ReturnType<typeof holdNetworkMaps>>;
  readonly hasStreets: boolean;
  /** Streets for bicycles and cars; `null` if there are none. */
  readonly vehicleStreets: VehicleStreets | null;
  readonly places: SnapshotHolder<PlacesIndex>;
  /** Public key for pushes. */
  readonly pushKey: string;
}

/** Links on the start page. */
const LISTED_STOPS = 6;

/** Gathers the facts about the service that its pages show. */
export async function describeSite(
  config: SiteConfig,
  held: Held,
  { clock, log, openLake }: Pick<ApiEffects, 'clock' | 'log' | 'openLake'>,
): Promise<SiteOptions> {
  const { realtimes, histories, announcements, hasStreets, vehicleStreets } = held;
  const assets = await readSiteAssets();
  if (assets.folder === null) log.warn('the pages have neither style nor script, because the site is not built');
  const hasSharing = () => openSharing(realtimes.current()?.value ?? null) !== null;
  const findTimetable = () => held.timetables.current()?.value ?? null;
  return {
    assets,
    examples: listExamples(findTimetable(), findAddress(config)),
    hasStreets,
    hasSharing,
    listTripModes: () => listTripModes({ streets: vehicleStreets, hasStreets, hasSharing: hasSharing() }),
    ...(config.explore.clients === 'none' || !openLake ? {} : { exploreClients: config.explore.clients }),
    findSources: () => [
      ...listServed(config, findTimetable()),
      ...(realtimes.current()?.value.manifest.sources ?? []),
      ...creditPlaces(held.places.current()?.value ?? null),
    ],
    findPunctuality: () => findPunctuality(histories, clock),
    mapTiles: describeTiles(config),
    listNetworkMaps: () => held.networkMaps.current()?.value.maps ?? [],
    findNetworkMap: findMapFile(held.networkMaps),
    listAnnouncements: () => listForSite(announcements.current()?.value ?? [], nowInstant(clock)),
    listBusiestStops: rememberBusiest(findTimetable),
    findStopName: (id) => findStopName(findTimetable(), id),
    pushKey: held.pushKey,
    ...(config.publicUrl === null ? {} : { baseUrl: config.publicUrl }),
  };
}

function describeTiles({ map: { tilesUrl, tilesAttribution } }: SiteConfig): MapTiles | null {
  return tilesUrl === null ? null : { url: tilesUrl, attribution: tilesAttribution };
}

/** Active announcements, except those for the apps of other systems only. */
function listForSite(all: readonly Announcement[], now: Instant): readonly Announcement[] {
  return listActive(all, now).filter(({ platforms }) => platforms.length === 0 || platforms.includes('web'));
}

/** Scans all stops, once per timetable. */
function rememberBusiest(findTimetable: () => Timetable | null): () => readonly NamedStop[] {
  const list = rememberLast((timetable: Timetable | null): readonly NamedStop[] =>
    timetable ? listBusiestStops(timetable, LISTED_STOPS).map(({ id, name }) => ({ id, name })) : [],
  );
  return () => list(findTimetable());
}

function findStopName(timetable: Timetable | null, id: string): string | null {
  const stop = timetable && findStop(timetable, id);
  return timetable === null || stop === null ? null : presentStop(timetable, stop).name;
}

/** Credits of the served sources: a feed given on the command line replaces the configured ones. */
function listServed({ sources }: SiteConfig, timetable: Timetable | null): SiteConfig['sources'] {
  if (timetable === null) return sources;
  const served = new Set<string>(timetable.manifest.sources.map(({ sourceId }) => sourceId));
  return sources.filter(({ id }) => served.has(id));
}

/** Public or local URL; null while the operating system has not assigned a port. */
function findAddress({ publicUrl, host, port }: SiteConfig): string | null {
  if (publicUrl !== null) return publicUrl;
  return port === 0 ? null : serverUrl(host, port);
}

/** Credits of the place index. */
function creditPlaces(places: PlacesIndex | null): SiteConfig['sources'] {
  if (places === null || places.manifest.extract.name === SAMPLE_PLACES) return [];
  const map = { id: 'OpenStreetMap', attribution: '© OpenStreetMap contributors', licence: 'ODbL' };
  const register = { id: 'Adressregister', attribution: '© Österreichisches Adressregister', licence: 'CC BY 4.0' };
  return places.manifest.register === null ? [map] : [map, register];
}
