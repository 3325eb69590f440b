import { CHANGE_WALK_METERS, SAME_STOP_CHANGE_SECONDS, STRAIGHT_LINE_FACTOR } from '../../../pipeline/model/walking.ts';
import { plainQuestion } from '../../support/oracles/naive-plan-places.ts';

/**
 * Our rules as options of OpenTripPlanner: straight-line walks, two minutes for every transfer. Without streets it begins
 * and ends at the stops themselves.
 */
const METERS_PER_SECOND = plainQuestion.walkSpeedKmh / 3.6 / STRAIGHT_LINE_FACTOR;
/** OpenTripPlanner selects walks when it builds its graph, at its default speed. */
const BUILD_METERS_PER_SECOND = 1.33;

export const otpRules = {
  maxTransferSeconds: Math.floor(CHANGE_WALK_METERS / STRAIGHT_LINE_FACTOR / BUILD_METERS_PER_SECOND),
  routing: {
    walk: { speed: METERS_PER_SECOND },
    transferSlack: `${SAME_STOP_CHANGE_SECONDS}s`,
    boardSlack: '0s',
    alightSlack: '0s',
    maxTransfers: plainQuestion.maxTransfers,
    // By default it omits early itineraries with long walks.
    itineraryFilters: {
      transitGeneralizedCostLimit: { costLimitFunction: '100h + 10 x', intervalRelaxFactor: 0 },
      groupSimilarityKeepOne: 0,
      groupSimilarityKeepThree: 0,
      removeTransitWithHigherCostThanBestOnStreetOnly: '100h + 10 x',
    },
  },
} as const;
