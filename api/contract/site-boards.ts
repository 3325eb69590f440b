import type { Journey } from './v2-board.ts';

/** Answer of `/site/data/journeys/{ref}`: a journey as the app contract has it, and our own forecast of it. */
export interface SiteJourney {
  readonly journey: Journey;
  /** Of the arrivals to come, where there is a current forecast, in travel order. */
  readonly forecasts: readonly ArrivalForecast[];
}

/** When a vehicle arrives at a call, with the interval of four in five such arrivals; timestamps of Austrian local time. */
export interface ArrivalForecast {
  /** Position in the journey's `stops`. */
  readonly position: number;
  readonly earliest: string;
  readonly median: string;
  readonly latest: string;
}
