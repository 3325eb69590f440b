import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../../pipeline/metrics/metrics.ts';

export type CountRequest = (request: FastifyRequest, reply: FastifyReply) => void;

/** Label of requests without a route, so that clients cannot create metric series. */
const NO_ROUTE = 'none';

/**
 * Counts every response, and its duration, by the path of its route.
 * @returns the counter, for the requests that Fastify answers without running its hooks
 */
export function countRequests(app: FastifyInstance, { counters, histograms }: Metrics): CountRequest {
  const count: CountRequest = (request, reply) => {
    const route = request.is404 ? NO_ROUTE : (request.routeOptions.url ?? NO_ROUTE);
    counters.httpRequests.add({ route, method: request.method, status: String(reply.statusCode) });
    histograms.httpDuration.observe({ route }, reply.elapsedTime / 1000);
  };
  app.addHook('onResponse', (request, reply, done) => {
    count(request, reply);
    done();
  });
  return count;
}
