import type { Journey } from './v2-board.ts';

/** Response of `/site/data/journeys/{ref}`: the journey of the app contract, with our own predictions. */
export interface SiteJourney {
  readonly journey: Journey;
  /** Predictions of the remaining arrivals, in travel order. Empty if none is current. */
  readonly forecasts: readonly ArrivalPrediction[];
}

/** Predicted arrival at a call, with its 80 % interval; timestamps in Austrian local time. */
export interface ArrivalPrediction {
  /** Position in the journey's `stops`. */
  readonly position: number;
  readonly earliest: string;
  readonly median: string;
  readonly latest: string;
}
