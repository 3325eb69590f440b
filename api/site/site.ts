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
  /** Questions of the loaded timetable that are worth asking. */
  readonly examples: readonly Example[];
  /** Whether walks lead along streets, whose authors want to be named. */
  readonly hasStreets?: boolean;
  /** The sources of what is served just now, and whose work they are; absent: nothing is served. */
  findSources?(): readonly CreditedSource[];
  /** The default period of the history, where it lies ready. The same numbers are of the same definition. */
  findPunctuality?(): Punctuality | null;
  /** Where the service is reached from outside; absent: wherever the documents came from. */
  readonly baseUrl?: string;
}

/** Nothing but what this service itself serves; pictures may also be inlined. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const PAGE_CACHE = 'public, max-age=300';
const HTML = 'text/html; charset=utf-8';

/** The pages for people, and the OpenAPI document. */
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

/** Serves a text that never changes while the process lives. */
function servePage(app: FastifyInstance, path: string, mediaType: string, text: string): void {
  const bytes = Buffer.from(text);
  serveBytes(app, path, mediaType, () => bytes);
}

/** The same object for as long as it says the same. */
function rememberOrigin({ findSources, hasStreets = false }: SiteOptions): () => DataOrigin {
  let last: DataOrigin = { isMadeUp: false, credits: [] };
  return () => {
    const origin = findOrigin(hasStreets, findSources?.() ?? []);
    if (JSON.stringify(origin) !== JSON.stringify(last)) last = origin;
    return last;
  };
}

/** The page is made anew for other numbers and credits alone. */
function rememberPunctuality({ findPunctuality }: SiteOptions, findServed: () => DataOrigin): () => Buffer {
  let last: {
    readonly numbers: Punctuality['numbers'] | null;
    readonly origin: DataOrigin;
    readonly page: Buffer;
  } | null = null;
  return () => {
    const told = findPunctuality?.() ?? null;
    const numbers = told?.numbers ?? null;
    const origin = findServed();
    if (last === null || last.numbers !== numbers || last.origin !== origin)
      last = { numbers, origin, page: Buffer.from(punctualityPage(told, origin)) };
    return last.page;
  };
}

function rememberLast<Asked, Told>(tell: (asked: Asked) => Told): (asked: Asked) => Told {
  let last: { readonly asked: Asked; readonly told: Told } | null = null;
  return (asked) => {
    if (last?.asked !== asked) last = { asked, told: tell(asked) };
    return last.told;
  };
}

/** @param find the same buffer for as long as the page stays the same */
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
