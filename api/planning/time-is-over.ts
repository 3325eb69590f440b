import { ApiProblem } from '../contract/problems.ts';

/** What a question is refused with that has had its time, wherever it was spent. */
export function timeIsOver(): ApiProblem {
  return new ApiProblem('overloaded', 'The answer could not be made in time.');
}
