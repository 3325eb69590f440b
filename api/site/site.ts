import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import { buildOpenApiDocument } from '../contract/openapi-document.ts';
import type { Punctuality } from '../history/tally.ts';
import { hashEntityTag, namesAnyEntityTag, namesEntityTag } from '../plugins/entity-tag.ts';
import { type CreditedSource, type DataOrigin, describeOrigin, findOrigin } from './credits.ts';
import { departureBoardPage } from './departure-board-page.ts';
import { registerDocs } from './docs.ts';
import type { Example } from './examples.ts';
import { landingPage } from './landing-page.ts';
import { problemsPage } from './problems-page.ts';
import { punctualityPage } from './punctuality-page.ts';

export interface SiteOptions {
  /** Example requests for the loaded timetable. */
  readonly examples: readonly Example[];
  /** Whether walks follow streets, whose authors must be credited. */
  readonly hasStreets?: boolean;
  /** The sources of the current data, with their credits; absent: no data is served. */
  findSources?(): readonly CreditedSource[];
  /** The default period of the history, once computed. Identical numbers have the same definition. */
  findPunctuality?(): Punctuality | null;
  /** External address of the service; absent: that of the request. */
  readonly baseUrl?: string;
}

/** Only what this service itself serves; images may also be inlined. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const PAGE_CACHE = 'public, max-age=300';
const HTML = 'text/html; charset=utf-8';

/** Registers the pages for people, and the OpenAPI document. */
export async function registerSite(app: FastifyInstance, options: SiteOptions): Promise<void> {
  const { examples, baseUrl } = options;
  const findServed = rememberOrigin(options);
  const serveCredited = (path: string, mediaType: string, render: (origin: DataOrigin) => string) => {
    const page = rememberLast((origin: DataOrigin) => Buffer.from(render(origin)));
    serveBytes(app, path, mediaType, () => page(findServed()));
  };
  serveCredited('/', HTML, (origin) => landingPage(examples, origin));
  serveCredited('/problems', HTML, problemsPage);
  serveBytes(app, '/punctuality', HTML, rememberPunctuality(options, findServed));
  const program = await readProjectFile('api/site/departure-board.mjs');
  serveCredited('/departure-board', HTML, (origin) => departureBoardPage(program, origin));
  servePage(app, '/site.css', 'text/css; charset=utf-8', await readProjectFile('api/site/site.css'));
  const buildDocument = rememberLast((origin: DataOrigin) =>
    buildOpenApiDocument({ credits: describeOrigin(origin), ...(baseUrl === undefined ? {} : { baseUrl }) }),
  );
  serveCredited('/openapi.json', 'application/json', (origin) => JSON.stringify(buildDocument(origin)));
  await registerDocs(app, () => buildDocument(findServed()), CONTENT_SECURITY_POLICY);
}

/** Serves a text that never changes while the process runs. */
function servePage(app: FastifyInstance, path: string, mediaType: string, text: string): void {
  const bytes = Buffer.from(text);
  serveBytes(app, path, mediaType, () => bytes);
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

/** Renders the page again only for changed numbers or credits. */
function rememberPunctuality({ findPunctuality }: SiteOptions, findServed: () => DataOrigin): () => Buffer {
  let last: {
    readonly numbers: Punctuality['numbers'] | null;
    readonly origin: DataOrigin;
    readonly page: Buffer;
  } | null = null;
  return () => {
    const punctuality = findPunctuality?.() ?? null;
    const numbers = punctuality?.numbers ?? null;
    const origin = findServed();
    if (last === null || last.numbers !== numbers || last.origin !== origin)
      last = { numbers, origin, page: Buffer.from(punctualityPage(punctuality, origin)) };
    return last.page;
  };
}

function rememberLast<Input, Output>(compute: (input: Input) => Output): (input: Input) => Output {
  let last: { readonly input: Input; readonly output: Output } | null = null;
  return (input) => {
    if (last?.input !== input) last = { input, output: compute(input) };
    return last.output;
  };
}

/** @param find returns the same buffer as long as the page is unchanged */
function serveBytes(app: FastifyInstance, path: string, mediaType: string, find: () => Buffer): void {
  const tagOf = rememberLast(hashEntityTag);
  app.get(path, (request: FastifyRequest, reply: FastifyReply) => {
    const bytes = find();
    const tag = tagOf(bytes);
    reply.header('etag', tag).header('cache-control', PAGE_CACHE);
    const condition = request.headers['if-none-match'];
    if (namesAnyEntityTag(condition) || namesEntityTag(condition, tag)) return reply.code(304).send();
    if (mediaType === HTML) {
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY).header('referrer-policy', 'no-referrer');
    }
    return reply.header('content-type', mediaType).send(bytes);
  });
}
