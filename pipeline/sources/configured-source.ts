import type { SourceId } from '../model/ids.ts';
import type { OwnHafasProfile } from './hafas/hafas-options.ts';
import type { SourceKind } from './realtime-source.ts';

/** One publisher of realtime, as the list `realtime` of the configuration file names it; null where nothing was said. */
export type ConfiguredSource = ConfiguredFacts &
  (ConfiguredGtfsRt | ConfiguredWienerLinien | ConfiguredTrias | ConfiguredHafas);

/** What may be said of every kind; a value takes the place of what is known of the publisher. */
export interface ConfiguredFacts {
  readonly id: SourceId;
  readonly kind: SourceKind;
  /** The timetable source whose ids its messages use. */
  readonly timetable: SourceId | null;
  /** Paused until somebody switches it on. */
  readonly isStandby: boolean;
  readonly name: string | null;
  readonly attribution: string | null;
  readonly licence: string | null;
  /** Sent with every request; may hold keys, so it is never shown. */
  readonly headers: Readonly<Record<string, string>>;
  readonly intervalSeconds: number | null;
  readonly maxAgeSeconds: number | null;
  readonly timeoutSeconds: number | null;
  readonly dailyBudget: number | null;
  readonly coverage: readonly string[] | null;
  readonly isNationwide: boolean | null;
}

export interface ConfiguredGtfsRt {
  readonly kind: 'gtfs-rt';
  /** Addresses; at least one of the three lists holds one. */
  readonly tripUpdates: readonly string[];
  readonly vehiclePositions: readonly string[];
  readonly alerts: readonly string[];
  /** Zone of the timetable whose trips it speaks of. */
  readonly zone: string;
  /** The publisher documents that its stop events are measured. */
  readonly hasMeasuredStopEvents: boolean;
}

export interface ConfiguredWienerLinien {
  readonly kind: 'wiener-linien';
  /** Null: the publisher's own. */
  readonly url: string | null;
  /** DIVA numbers of the stations whose departures are asked for; null: all of the underground. */
  readonly stations: readonly number[] | null;
  readonly trafficInfo: boolean;
  readonly news: boolean;
}

export interface ConfiguredTrias {
  readonly kind: 'trias' | 'ojp';
  readonly url: string;
  /** Of the standard; null: the newest that is spoken. */
  readonly version: TriasVersion | null;
  /** The operator's name or key at the publisher; a secret. */
  readonly requestorRef: string;
  /** Stop references whose departures are asked for. */
  readonly stops: readonly string[];
  readonly situations: boolean;
}

export type TriasVersion = '1.0' | '1.1' | '1.2' | '2.0';

export interface ConfiguredHafas {
  readonly kind: 'hafas';
  /** `vao`, the name of a profile of hafas-client, or one of the operator's own. */
  readonly profile: string | OwnHafasProfile;
  /** Null: the profile's own. */
  readonly endpoint: string | null;
  /** The operator's key; a secret. */
  readonly key: string | null;
  /** Station numbers whose departures are asked for. */
  readonly stops: readonly string[];
  readonly arrivals: boolean;
  /** Whether messages are asked for beside those that boards bring along. */
  readonly remarks: boolean;
  /** Whether it may be asked for the vehicles of areas that somebody looks at. */
  readonly vehiclesOnDemand: boolean;
  readonly durationMinutes: number | null;
  /** Calls a day; its terms count them. */
  readonly dailyBudget: number;
}

/**
 * The timetable sources whose ids a realtime source uses: the one it names, else the one of its own id, else all.
 * @param published ids of the sources of the timetable in use
 * @returns empty when it names one that is not in use: nothing of it matches by id
 */
export function findTimetables(
  { id, timetable }: Pick<ConfiguredFacts, 'id' | 'timetable'>,
  published: readonly SourceId[],
): readonly SourceId[] {
  if (timetable !== null) return published.filter((one) => one === timetable);
  return published.includes(id) ? [id] : published;
}
