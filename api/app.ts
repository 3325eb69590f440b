import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import type { Clock } from '../pipeline/effects/clock.ts';
import { logOptions } from '../pipeline/effects/service-log.ts';
import type { Metrics } from '../pipeline/metrics/metrics.ts';
import { ApiProblem } from './contract/problems.ts';
import type { RouteContract } from './contract/route-contract.ts';
import { routes as contractRoutes } from './contract/routes.ts';
import { logAccess, type WriteAccessLine } from './plugins/access-log.ts';
import { admit, admitUnrouted } from './plugins/admission.ts';
import { createAnswerCache } from './plugins/answer-cache.ts';
import { answerConnectionError, handleErrors, sendProblem } from './plugins/errors.ts';
import { createFairUse, type FairUse, type FairUseSettings } from './plugins/fair-use.ts';
import { readJsonBodies } from './plugins/json-bodies.ts';
import { createKnownRequests } from './plugins/known-requests.ts';
import { familyOfTarget, listAllowed, type RouteFamily } from './plugins/request-facts.ts';
import { createRequestIds } from './plugins/request-ids.ts';
import { type CountRequest, countRequests } from './plugins/request-metrics.ts';
import type { BoundRoute, RouteHandler, RouteKey, SnapshotHolder } from './plugins/route-handler.ts';
import { type ServeSettings, serveRoute } from './plugins/serve-route.ts';
import { registerSite, type SiteOptions } from './site/site.ts';

/** Stands in for a missing handler: the request is validated, then refused. */
const notAvailableYet: RouteHandler<unknown> = {
  snapshot: 'unused',
  changesWithTime: () => false,
  answer() {
    throw new ApiProblem('not_available_yet', 'This route is part of the contract, but not available yet.');
  },
};

interface AppLimits {
  readonly bodyBytes: number;
  readonly urlBytes: number;
  readonly headerBytes: number;
  /** Time limit for receiving a request, and for answering it. */
  readonly requestMilliseconds: number;
}

const defaultLimits: AppLimits = {
  bodyBytes: 256 * 1024,
  urlBytes: 24 * 1024,
  headerBytes: 16 * 1024,
  requestMilliseconds: 15_000,
};

export interface AppOptions<Value> {
  readonly clock: Clock;
  readonly snapshots: SnapshotHolder<Value>;
  /** A route of the contract without a handler answers `not_available_yet`. */
  readonly handlers: Partial<Record<RouteKey, RouteHandler<Value>>>;
  /**
   * Identifies what shapes an answer besides the request and the data: the build, the configuration, the key of the
   * references. Part of every entity tag, so replicas that share it share their tags.
   */
  readonly answersVersion: string;
  readonly fairUse: FairUseSettings;
  readonly site: SiteOptions;
  /** Routes for the data of the site's pages, which are not part of the contract; default: none. */
  readonly siteRoutes?: readonly BoundRoute<Value>[];
  readonly limits?: Partial<AppLimits>;
  /** Proxies whose `X-Forwarded-For` is trusted; as Fastify takes it. */
  readonly trustProxy?: NonNullable<FastifyServerOptions['trustProxy']>;
  /** One JSON line per request and per failure; false: none. */
  readonly logger?: { readonly level: string; readonly stream?: { write(line: string): void } } | false;
  /** Counts requests and answers; absent: nothing is counted. */
  readonly metrics?: Metrics | undefined;
  /** Limit of the response cache. */
  readonly responseCacheBytes?: number;
  /** Default: the routes of the contract; tests pass a few. */
  readonly routes?: readonly RouteContract[];
}

/** No route has a schema of Fastify: the contract is validated by us, and Fastify need not load its compilers. */
const withoutSchemas = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
};

function refuseSchema(): never {
  throw new Error('a route has a schema of Fastify; the contract has ours');
}

const DEFAULT_RESPONSE_CACHE_BYTES = 64 * 1024 * 1024;
/** Bytes of the request line and header lines that neither limit counts. */
const HEAD_SLACK_BYTES = 1024;

/**
 * Builds the service without listening.
 * @throws Error if a handler has no route in the contract
 */
export async function buildApp<Value>(options: AppOptions<Value>): Promise<FastifyInstance> {
  const limits = { ...defaultLimits, ...options.limits };
  const fairUse = createFairUse(options.fairUse, options.clock);
  const app = createServer(options, limits, fairUse);

  handleErrors(app);
  readJsonBodies(app);
  app.addHook('onRequest', (request, reply, done) => {
    if (!admit(request, reply, { limits, fairUse })) done();
  });
  const paths = collectPaths(app);
  registerContract(app, options, limits);
  await registerSite(app, options.site);
  answerOptionsRequests(app, paths);
  await app.ready();
  return app;
}

function createServer<Value>(options: AppOptions<Value>, limits: AppLimits, fairUse: FairUse | null): FastifyInstance {
  let writeAccessLine: WriteAccessLine | null = null;
  let countRequest: CountRequest | null = null;
  const app: FastifyInstance = Fastify({
    logger: options.logger ? { ...logOptions(options.logger.level), ...options.logger } : false,
    genReqId: createRequestIds(options.trustProxy !== undefined),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy ?? false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMilliseconds,
    // Requests on open connections are answered while closing; new connections are not accepted.
    return503OnClosing: false,
    schemaController: withoutSchemas,
    routerOptions: {
      // The length of the whole URL is limited instead.
      maxParamLength: limits.urlBytes,
      querystringParser: (text) => ({ text }),
    },
    http: {
      // Node has one limit for both; admission checks each when the request has arrived.
      maxHeaderSize: limits.urlBytes + limits.headerBytes + HEAD_SLACK_BYTES,
      headersTimeout: limits.requestMilliseconds,
      connectionsCheckingInterval: Math.ceil(limits.requestMilliseconds / 15),
      // Refused by us, because Node's own 400 has no body.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => {
      app.log.debug({ code: error.code }, 'connection refused');
      answerConnectionError(error, socket, options.clock.nowMilliseconds());
    },
    frameworkErrors: (error, request, reply) => {
      sendProblem(request, reply, admitUnrouted(request, reply, fairUse) ?? error);
      writeAccessLine?.(request, reply);
      countRequest?.(request, reply);
    },
  });
  // Node would silently drop every header after the 2000th, possibly the Origin.
  app.server.maxHeadersCount = 0;
  // Node's own 417 has no body; the request is routed instead and refused by admission.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  if (options.logger) writeAccessLine = logAccess(app);
  if (options.metrics) countRequest = countRequests(app, options.metrics);
  return app;
}

function registerContract<Value>(app: FastifyInstance, options: AppOptions<Value>, limits: AppLimits): void {
  const routes = options.routes ?? contractRoutes;
  const keys = new Set<string>(routes.map(routeKey));
  const stray = Object.keys(options.handlers).find((key) => !keys.has(key));
  if (stray !== undefined) throw new Error(`there is a handler for "${stray}", but no such route in the contract`);

  const cache = createAnswerCache(options.responseCacheBytes ?? DEFAULT_RESPONSE_CACHE_BYTES);
  const { metrics } = options;
  metrics?.beforeScrape(() => metrics.gauges.responseCacheBytes.replace([{ labels: {}, value: cache.bytesHeld }]));
  const settings: ServeSettings<Value> = {
    clock: options.clock,
    snapshots: options.snapshots,
    cache,
    knownRequests: createKnownRequests(),
    answersVersion: options.answersVersion,
    answerMilliseconds: limits.requestMilliseconds,
    countAnswer: (from) => metrics?.counters.responses.add({ from }),
  };
  const published = routes.map((contract) => ({
    contract,
    handler: options.handlers[routeKey(contract)] ?? notAvailableYet,
  }));
  for (const { contract, handler } of [...published, ...(options.siteRoutes ?? [])]) {
    app.route({
      method: contract.method,
      url: contract.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { facts: { family: familyOfTarget(contract.path), cost: contract.cost } },
      handler: serveRoute(contract, handler, settings),
    });
  }
}

function routeKey(route: RouteContract): RouteKey {
  return `${route.method} ${route.path}` as RouteKey;
}

/** Collects every path registered after this call, with its route family. */
function collectPaths(app: FastifyInstance): ReadonlyMap<string, RouteFamily> {
  const paths = new Map<string, RouteFamily>();
  app.addHook('onRoute', ({ url, config }) => {
    paths.set(url, config?.facts?.family ?? 'site');
  });
  return paths;
}

/** Answers OPTIONS on every known path. Admission refuses all other methods, for which the router has no route. */
function answerOptionsRequests(app: FastifyInstance, paths: ReadonlyMap<string, RouteFamily>): void {
  for (const [url, family] of [...paths]) {
    app.route({
      method: 'OPTIONS',
      url,
      config: { facts: { family, cost: 0, allow: listAllowed((method) => app.hasRoute({ method, url })) } },
      handler: () => {
        throw new Error('admission answers this method itself');
      },
    });
  }
}
