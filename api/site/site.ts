import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import type { PublishedMap } from '../../pipeline/snapshots/network-map-files.ts';
import { buildOpenApiDocument } from '../contract/openapi-document.ts';
import type { Punctuality } from '../history/tally.ts';
import { hashEntityTag } from '../plugins/entity-tag.ts';
import { rememberLast } from '../plugins/remember-last.ts';
import { familyOfTarget } from '../plugins/request-facts.ts';
import { registerDocs } from './docs.ts';
import { guardExplore } from './guard-explore.ts';
import { guardTry } from './guard-try.ts';
import { serveIdentity } from './identity.ts';
import { type NetworkMapFile, serveNetworkMaps } from './network-map-files.ts';
import type { Example } from './pages/examples.ts';
import { notFoundPage } from './pages/not-found.ts';
import { listPages } from './pages/pages.ts';
import { sendTagged } from './send-tagged.ts';
import { noAssets, type SiteAssets } from './shell/assets.ts';
import { chooseLanguage } from './shell/choose-language.ts';
import { type CreditedSource, type DataOrigin, describeOrigin, findOrigin } from './shell/credits.ts';
import type { MapTiles, NamedStop, Page, PageRequest, SiteAnnouncement, SiteFacts } from './shell/page.ts';
import { readPageAnswers } from './shell/page-answers.ts';
import { renderPage } from './shell/shell.ts';
import { serveAssets } from './static-files.ts';
import type { TripMode } from './view-model/trip-modes.ts';

export interface SiteOptions {
  /** Example requests for the loaded timetable. */
  readonly examples: readonly Example[];
  /** Output of the browser build; absent: pages have neither style nor script. */
  readonly assets?: SiteAssets;
  /** Whether walks follow streets, in which case the authors of the street data are credited. */
  readonly hasStreets?: boolean;
  /** Who may query the lake in SQL; absent if nobody may. */
  readonly exploreClients?: 'loopback' | 'all';
  /** Whether a sharing system has responded; absent: there is none. */
  hasSharing?(): boolean;
  /** How trips may begin and end; absent if on foot only. */
  listTripModes?(): readonly TripMode[];
  /** Public key with which pages subscribe to pushes; absent: none can. */
  readonly pushKey?: string;
  /** Sources of the current data, with their credits; absent: no data is served. */
  findSources?(): readonly CreditedSource[];
  /** Punctuality of the default period, once computed. */
  findPunctuality?(): Punctuality | null;
  /** Active announcements, the most important first. */
  listAnnouncements?(): readonly SiteAnnouncement[];
  findStopName?(id: string): string | null;
  listBusiestStops?(): readonly NamedStop[];
  listNetworkMaps?(): readonly PublishedMap[];
  readonly mapTiles?: MapTiles | null;
  /** Finds a file of the network maps; null for an unknown name. */
  findNetworkMap?(file: string): NetworkMapFile | null;
  /** External URL of the service; absent: the URL of the request. */
  readonly baseUrl?: string;
}

/** Allows only resources of this service; images may also be inlined. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const HTML = 'text/html; charset=utf-8';
const CACHE = 'public, max-age=300';
/** Request headers that a page depends on, for caching proxies. */
const PAGE_VARY = 'Accept-Language, Cookie';
/** Short, so that announcements appear soon; revalidation is cheap. */
const PAGE_CACHE = 'no-cache';

/** Registers the pages, their files, and the OpenAPI document. */
export async function registerSite(app: FastifyInstance, options: SiteOptions): Promise<void> {
  const { examples, baseUrl, assets = noAssets } = options;
  const findServed = rememberOrigin(options);
  const { exploreClients } = options;
  if (exploreClients) guardExplore(app, exploreClients);
  guardTry(app);
  const pages = listPages({
    examples,
    boardProgram: await readProjectFile('api/site/departure-board.mjs'),
    hasExplore: exploreClients !== undefined,
  });
  const gatherFacts = (): SiteFacts => ({
    origin: findServed(),
    announcements: options.listAnnouncements?.() ?? [],
    punctuality: options.findPunctuality?.() ?? null,
    networkMaps: options.listNetworkMaps?.() ?? [],
    mapTiles: options.mapTiles ?? null,
    hasSharing: options.hasSharing?.() ?? false,
    tripModes: options.listTripModes?.() ?? ['walk'],
    pushKey: options.pushKey ?? null,
    busiestStops: options.listBusiestStops?.() ?? [],
    findStopName: (id) => options.findStopName?.(id) ?? null,
  });
  const menu = pages.filter(({ menu }) => menu !== undefined);
  const complete = (read: ReadRequest): PageRequest => ({
    ...read,
    origin: baseUrl ?? read.origin,
    facts: gatherFacts(),
    menu,
    answers: new Map(),
  });
  for (const page of pages) servePage(app, page, complete, assets);
  servePageNotFound(app, complete, assets);
  serveIdentity(app, {
    menu,
    baseUrl,
    assets,
    workerProgram: await readProjectFile('api/site/service-worker.mjs'),
    listStops: () => options.listBusiestStops?.() ?? [],
  });
  await serveAssets(app, assets);
  await serveNetworkMaps(app, (file) => options.findNetworkMap?.(file) ?? null);

  const buildDocument = rememberLast((origin: DataOrigin) =>
    buildOpenApiDocument({ credits: describeOrigin(origin), ...(baseUrl === undefined ? {} : { baseUrl }) }),
  );
  const writeDocument = rememberLast((origin: DataOrigin) => Buffer.from(JSON.stringify(buildDocument(origin))));
  const tagOf = rememberLast(hashEntityTag);
  app.get('/openapi.json', (request, reply) => {
    const bytes = writeDocument(findServed());
    reply.header('cache-control', CACHE);
    return sendTagged(request, reply, { bytes, tag: tagOf(bytes), mediaType: 'application/json' });
  });
  await registerDocs(app, () => buildDocument(findServed()));
}

/** The parts of a page request that do not depend on the service. */
type ReadRequest = Pick<PageRequest, 'language' | 'params' | 'query' | 'origin'>;

function servePage(
  app: FastifyInstance,
  page: Page,
  complete: (read: ReadRequest) => PageRequest,
  assets: SiteAssets,
): void {
  for (const path of page.paths) {
    app.get(path, async (request: FastifyRequest, reply: FastifyReply) => {
      const read = readPageRequest(request);
      const requested = await addAnswers(app, request, page, complete(read));
      const other = page.findOtherAddress?.(requested) ?? null;
      if (other !== null) return reply.header('cache-control', PAGE_CACHE).redirect(other, 303);
      const bytes = Buffer.from(renderPage(page, requested, assets));
      reply.header('cache-control', PAGE_CACHE).header('vary', PAGE_VARY).header('content-language', read.language);
      reply.header('content-security-policy', policyOf(page, requested)).header('referrer-policy', 'no-referrer');
      if (page.isFound?.(requested) === false) return reply.code(404).type(HTML).send(bytes);
      return sendTagged(request, reply, { bytes, tag: hashEntityTag(bytes), mediaType: HTML });
    });
  }
}

/** Adds the data of the page; a page that is not found has none. */
async function addAnswers(
  app: FastifyInstance,
  request: FastifyRequest,
  page: Page,
  requested: PageRequest,
): Promise<PageRequest> {
  const paths = page.isFound?.(requested) === false ? [] : (page.listData?.(requested) ?? []);
  return paths.length === 0 ? requested : { ...requested, answers: await readPageAnswers(app, request, paths) };
}

/** Sends browsers a page in place of the problem for an unknown path; programs still get the problem. */
function servePageNotFound(
  app: FastifyInstance,
  complete: (read: ReadRequest) => PageRequest,
  assets: SiteAssets,
): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isLostBrowser(request)) return done(null, payload);
    const requested = complete(readPageRequest(request));
    reply.header('content-type', HTML).header('content-language', requested.language);
    reply.header('vary', `Accept, ${PAGE_VARY}`).header('content-security-policy', CONTENT_SECURITY_POLICY);
    done(null, Buffer.from(renderPage(notFoundPage, requested, assets)));
  });
}

function isLostBrowser(request: FastifyRequest): boolean {
  return (
    request.is404 &&
    request.method === 'GET' &&
    familyOfTarget(request.url) === 'site' &&
    /\btext\/html\b/.test(request.headers.accept ?? '')
  );
}

/** The content security policy, extended by the origin of base tiles if the page shows them. */
function policyOf(page: Page, { facts }: PageRequest): string {
  const origins = page.listOrigins?.(facts) ?? [];
  if (origins.length === 0) return CONTENT_SECURITY_POLICY;
  return `${CONTENT_SECURITY_POLICY}; connect-src 'self' ${origins.join(' ')}`;
}

function readPageRequest({ headers, query, params, protocol, host }: FastifyRequest): ReadRequest {
  const { text } = query as { readonly text: string };
  const language = chooseLanguage({
    query: text,
    cookie: headers.cookie,
    acceptLanguage: headers['accept-language'],
  });
  return {
    language,
    params: params as ReadRequest['params'],
    query: new URLSearchParams(text),
    origin: `${protocol}://${host}`,
  };
}

/** Returns the same object as long as its content is unchanged. */
function rememberOrigin({ findSources, hasStreets = false }: SiteOptions): () => DataOrigin {
  let last: DataOrigin = { isMadeUp: false, credits: [] };
  return () => {
    const origin = findOrigin(hasStreets, findSources?.() ?? []);
    if (JSON.stringify(origin) !== JSON.stringify(last)) last = origin;
    return last;
  };
}
