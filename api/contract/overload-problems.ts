import { ApiProblem } from './problems.ts';

// Refusals for lack of time or capacity, whatever the request.

export function timeLimitPassed(): ApiProblem {
  return new ApiProblem('overloaded', 'The request timed out. Try again later.');
}

export function queueFull(): ApiProblem {
  return new ApiProblem('overloaded', 'Too many requests are queued. Try again later.');
}

export function serviceStopping(): ApiProblem {
  return new ApiProblem('overloaded', 'The service is shutting down. Try again later.');
}

/** Ends the work for a client that has disconnected; it is never sent. */
export function clientGone(): ApiProblem {
  return new ApiProblem('overloaded', 'The client has disconnected.');
}
