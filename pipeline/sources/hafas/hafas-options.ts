import type { HafasProfileData } from '../../formats/hafas/hafas-profile.ts';
import type { GeoBox } from '../../model/geo.ts';
import type { SourceFacts } from '../realtime-source.ts';

/** An endpoint of the operator's own: its data, on top of a profile of hafas-client where one is near. */
export interface OwnHafasProfile extends Partial<HafasProfileData> {
  /** `vao`, or the name of a profile of hafas-client whose dialect and data are taken first. */
  readonly base?: string;
}

/** What the operator decides. Keys are secrets: nothing of them is shown or stored. */
export interface HafasOptions {
  /** Id of the source, e.g. `vao`; names it in problems. */
  readonly id: string;
  /**
   * `vao`, which needs endpoint and key; the name of a profile of hafas-client, most of which bring the public client
   * of some app along; or an endpoint of one's own.
   */
  readonly profile: string | OwnHafasProfile;
  /** Takes the place of the profile's. */
  readonly endpoint?: string | null;
  /** Sent as `auth.aid`. */
  readonly key?: string | null;
  /** Station numbers whose departures are asked for. */
  readonly stops: readonly string[];
  /** How far boards look ahead; 60 where left out. */
  readonly durationMinutes?: number;
  /** Asks for arrivals too. */
  readonly arrivals?: boolean;
  /** Asks for messages beside those that boards bring along. */
  readonly remarks?: boolean;
  /** Asks for the vehicles in a box; HAFAS reckons where they are. */
  readonly radar?: GeoBox | null;
  /** Asks for the vehicles of areas that somebody looks at; false where left out. */
  readonly vehiclesOnDemand?: boolean;
  /** Seconds between two answers for one board; longer where the budget would not last the day. 60 where left out. */
  readonly intervalSeconds?: number | null;
  /** Calls a day; there is no default, for the publisher counts them. */
  readonly dailyBudget: number;
  /** Take the place of what is known. Nothing changes that raw answers and sightings are not kept. */
  readonly overrides?: Partial<Omit<SourceFacts, 'kind' | 'zone' | 'dailyBudget' | 'archive'>>;
}
