import { ApiProblem } from '../contract/problems.ts';
import type { RouteHandler } from '../plugins/route-handler.ts';

/** Stands in for the routes of the contract that nobody has built: everything is checked as promised, then refused. */
export const notAvailableYet: RouteHandler<unknown> = {
  snapshot: 'unused',
  changesWithTime: () => false,
  answer() {
    throw new ApiProblem('not_available_yet', 'This route is part of the contract, but not available yet.');
  },
};
