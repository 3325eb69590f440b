import { ApiProblem } from '../contract/problems.ts';

// What a question is refused with for reasons that lie not in itself.

export function timeIsOver(): ApiProblem {
  return new ApiProblem('overloaded', 'The answer could not be made in time.');
}

export function tooManyWait(): ApiProblem {
  return new ApiProblem('overloaded', 'Too many questions are waiting already.');
}

export function serviceEnds(): ApiProblem {
  return new ApiProblem('overloaded', 'The service is about to end.');
}

/** Nobody reads it; it ends the work. */
export function isGone(): ApiProblem {
  return new ApiProblem('overloaded', 'The one who asked has gone.');
}
