import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import { buildOpenApiDocument } from '../contract/openapi-document.ts';
import { hashEntityTag, namesAnyEntityTag, namesEntityTag } from '../plugins/entity-tag.ts';
import { type Credit, type CreditedSource, listCredits } from './credits.ts';
import { departureBoardPage } from './departure-board-page.ts';
import { registerDocs } from './docs.ts';
import type { Example } from './examples.ts';
import { landingPage } from './landing-page.ts';
import { problemsPage } from './problems-page.ts';
import { type Punctuality, punctualityPage } from './punctuality-page.ts';

export interface SiteOptions {
  /** Questions of the loaded timetable that are worth asking. */
  readonly examples: readonly Example[];
  /** Whether walks lead along streets, whose authors want to be named. */
  readonly hasStreets?: boolean;
  /** The sources of what is served just now, and whose work they are. */
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
  const { examples, baseUrl, hasStreets = false } = options;
  const openApi = buildOpenApiDocument({ hasStreets, ...(baseUrl === undefined ? {} : { baseUrl }) });
  const findCredits = rememberCredits(options);
  const serveCredited = (path: string, render: (credits: readonly Credit[]) => string) => {
    const page = rememberLast((credits: readonly Credit[]) => Buffer.from(render(credits)));
    serveBytes(app, path, HTML, () => page(findCredits()));
  };
  serveCredited('/', (credits) => landingPage(examples, credits));
  serveCredited('/problems', problemsPage);
  serveBytes(app, '/punctuality', HTML, rememberPunctuality(options, findCredits));
  const program = await readProjectFile('api/site/departure-board.mjs');
  serveCredited('/departure-board', (credits) => departureBoardPage(program, credits));
  servePage(app, '/site.css', 'text/css; charset=utf-8', await readProjectFile('api/site/site.css'));
  servePage(app, '/openapi.json', 'application/json', JSON.stringify(openApi));
  await registerDocs(app, openApi, CONTENT_SECURITY_POLICY);
}

/** Serves a text that never changes while the process lives. */
function servePage(app: FastifyInstance, path: string, mediaType: string, text: string): void {
  const bytes = Buffer.from(text);
  serveBytes(app, path, mediaType, () => bytes);
}

/** The same list for as long as it says the same. */
function rememberCredits({ findSources, hasStreets = false }: SiteOptions): () => readonly Credit[] {
  let last: readonly Credit[] = [];
  return () => {
    const credits = listCredits(hasStreets, findSources?.() ?? []);
    if (JSON.stringify(credits) !== JSON.stringify(last)) last = credits;
    return last;
  };
}

/** The page is made anew for other numbers and credits alone. */
function rememberPunctuality({ findPunctuality }: SiteOptions, findCredits: () => readonly Credit[]): () => Buffer {
  let last: {
    readonly numbers: Punctuality['numbers'] | null;
    readonly credits: readonly Credit[];
    readonly page: Buffer;
  } | null = null;
  return () => {
    const told = findPunctuality?.() ?? null;
    const numbers = told?.numbers ?? null;
    const credits = findCredits();
    if (last === null || last.numbers !== numbers || last.credits !== credits)
      last = { numbers, credits, page: Buffer.from(punctualityPage(told, credits)) };
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
