import type { SampleLine, SampleMode } from '../feed/lookups.ts';

/**
 * Punctuality of a kind of vehicle. The parameters are made up, chosen so that a month is close to published values:
 *
 * - local trains 94.8 % less than 5:30 min late, 93.3 to 96.6 % by state (Austria 2022, Agentur für Passagier- und
 *   Fahrgastrechte, of 21 million arrivals); the S-Bahn of Vienna 97.6 % (ÖBB 2010);
 * - long-distance trains 73 to 84 % (ÖBB 2024), 76 to 90 % (ÖBB 2010 and early 2011);
 * - trams and buses of a city 84.8 % less than 90 s late (Zürich 2016, all lines), 86 to 94 % within 1 min before and 2
 *   min after the plan (Glattal 2015 to 2018).
 *
 * No values for an underground were found; it is assumed to be better than all of these, as it has its own tracks.
 */
export interface PunctualityProfile {
  /** Minimum time for passengers to board and alight. */
  readonly stopSeconds: number;
  /** Maximum earliness of a departure. */
  readonly earlySeconds: number;
  /** Typical delay of the first departure. */
  readonly lateStartSeconds: number;
  /** Share of trips that start with the delay of the previous trip, and the scale of that delay. */
  readonly inheritedShare: number;
  readonly inheritedSeconds: number;
  /** Extra time of a leg under ordinary load, as a share of its running time. */
  readonly slowdown: number;
  /** Spread of the pace of trips and legs, as a share of their running time. */
  readonly pace: number;
  readonly scatter: number;
  /** Time that a late vehicle can recover on a leg, as a share of the running time; an early one slows down as much. */
  readonly padding: number;
  /** Share of legs with an incident, and the scale of its delay. */
  readonly mishapShare: number;
  readonly mishapSeconds: number;
  /** Resolution of forecasts: railways use minutes. */
  readonly forecastStepSeconds: number;
}

const street: PunctualityProfile = {
  stopSeconds: 14,
  earlySeconds: 30,
  lateStartSeconds: 40,
  inheritedShare: 0.12,
  inheritedSeconds: 130,
  slowdown: 0.08,
  pace: 0.04,
  scatter: 0.08,
  padding: 0.05,
  mishapShare: 0.006,
  mishapSeconds: 80,
  forecastStepSeconds: 15,
};

const regionalTrain: PunctualityProfile = {
  stopSeconds: 25,
  earlySeconds: 0,
  lateStartSeconds: 45,
  inheritedShare: 0.25,
  inheritedSeconds: 200,
  slowdown: 0.02,
  pace: 0.015,
  scatter: 0.03,
  padding: 0.03,
  mishapShare: 0.03,
  mishapSeconds: 180,
  forecastStepSeconds: 60,
};

const longDistanceTrain: PunctualityProfile = {
  ...regionalTrain,
  stopSeconds: 45,
  lateStartSeconds: 60,
  inheritedShare: 0.4,
  inheritedSeconds: 360,
  mishapShare: 0.06,
  mishapSeconds: 280,
};

const ropeway: PunctualityProfile = {
  ...street,
  lateStartSeconds: 8,
  inheritedShare: 0,
  slowdown: 0,
  pace: 0,
  scatter: 0.01,
  mishapShare: 0,
};

const profileByMode: Readonly<Record<SampleMode, PunctualityProfile>> = {
  metro: {
    ...street,
    stopSeconds: 18,
    earlySeconds: 10,
    lateStartSeconds: 20,
    inheritedShare: 0.03,
    inheritedSeconds: 50,
    slowdown: 0.03,
    pace: 0.01,
    scatter: 0.04,
    mishapShare: 0.0008,
  },
  tram: street,
  bus: { ...street, stopSeconds: 12, slowdown: 0.1, scatter: 0.1, mishapShare: 0.007 },
  night_bus: { ...street, stopSeconds: 10, inheritedShare: 0.05, mishapShare: 0.003 },
  s_bahn: { ...regionalTrain, inheritedShare: 0.2, inheritedSeconds: 150, mishapShare: 0.012, mishapSeconds: 150 },
  rail: regionalTrain,
  funicular: ropeway,
  cableway: ropeway,
  ship: { ...regionalTrain, lateStartSeconds: 60, mishapShare: 0.001 },
};

/** Long-distance trains: GTFS's extended types 101 to 105. */
export function isLongDistance({ mode, routeType }: SampleLine): boolean {
  return mode === 'rail' && routeType >= 101 && routeType <= 105;
}

export function profileOf(line: SampleLine): PunctualityProfile {
  return isLongDistance(line) ? longDistanceTrain : profileByMode[line.mode];
}
