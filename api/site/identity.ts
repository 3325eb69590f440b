import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashEntityTag } from '../plugins/entity-tag.ts';
import { sendTagged } from './send-tagged.ts';
import { assetAddress, type SiteAssets } from './shell/assets.ts';
import { html } from './shell/html.ts';
import { logo, THEME_COLORS } from './shell/icons.ts';
import type { NamedStop, Page } from './shell/page.ts';

interface IdentityOptions {
  /** The pages that search engines should list. */
  readonly menu: readonly Page[];
  /** External URL of the service; undefined: the URL of the request. */
  readonly baseUrl: string | undefined;
  readonly assets: SiteAssets;
  /** The text of `service-worker.mjs`. */
  readonly workerProgram: string;
  listStops(): readonly NamedStop[];
}

const CACHE = 'public, max-age=86400';
/** Not cached, so that browsers find a new release immediately. */
const WORKER_CACHE = 'no-cache';

/**
 * Serves the icon, the web app manifest, `robots.txt` and the sitemap, and the service worker if the site is built.
 */
export function serveIdentity(app: FastifyInstance, options: IdentityOptions): void {
  const { menu, baseUrl, assets, listStops } = options;
  const serve = (path: string, mediaType: string, write: (origin: string) => string, cache = CACHE) => {
    app.get(path, (request: FastifyRequest, reply: FastifyReply) => {
      const bytes = Buffer.from(write(baseUrl ?? `${request.protocol}://${request.host}`));
      reply.header('cache-control', cache);
      return sendTagged(request, reply, { bytes, tag: hashEntityTag(bytes), mediaType });
    });
  };
  serve('/favicon.svg', 'image/svg+xml; charset=utf-8', () => logo.markup);
  serve('/manifest.webmanifest', 'application/manifest+json; charset=utf-8', () =>
    JSON.stringify({ ...webAppManifest, icons: [...listIcons(assets), ...webAppManifest.icons] }),
  );
  if (assets.folder !== null) {
    const worker = writeWorker(assets, options.workerProgram);
    serve('/service-worker.js', 'text/javascript; charset=utf-8', () => worker, WORKER_CACHE);
  }
  serve('/robots.txt', 'text/plain; charset=utf-8', writeRobots);
  serve('/sitemap.xml', 'application/xml; charset=utf-8', (origin) => {
    const stops = listStops().map(({ id }) => `/stops/${encodeURIComponent(id)}`);
    return writeSitemap(['/', ...menu.map(({ paths }) => paths[0]!), ...stops].map((path) => origin + path));
  });
}

/** Folders of the scripts that a board needs. */
const boardScripts = ['shell', 'stops'] as const;

/** The worker preceded by `release`. The version changes with every file, so each release has its own cache. */
function writeWorker({ entries }: SiteAssets, program: string): string {
  const needed = boardScripts.flatMap((name) => {
    const entry = entries[name];
    return entry ? [entry.script, ...entry.imports, ...(entry.style === null ? [] : [entry.style])] : [];
  });
  const files = [...new Set(needed)].map(assetAddress);
  const version = createHash('sha256').update(JSON.stringify(entries)).update(program).digest('hex').slice(0, 16);
  return `const release = ${JSON.stringify({ version: `taktgeber-${version}`, files })};\n${program}`;
}

/** Maskable icons: the platform may crop them to any shape. */
function listIcons({ pictures }: SiteAssets) {
  return (pictures?.icons ?? []).map(({ pixels, file }) => ({
    src: assetAddress(file),
    sizes: `${pixels}x${pixels}`,
    type: 'image/png',
    purpose: 'any maskable',
  }));
}

/** @see https://www.w3.org/TR/appmanifest/ */
const webAppManifest = {
  id: '/',
  name: 'Taktgeber',
  short_name: 'Taktgeber',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  background_color: THEME_COLORS.light,
  theme_color: THEME_COLORS.light,
  icons: [{ src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
  shortcuts: [
    { name: 'Abfahrten', url: '/stops' },
    { name: 'Verbindungen', url: '/trips' },
  ],
};

/** Journeys and the state of a search are too many and too short-lived to be listed. @see RFC 9309 */
function writeRobots(origin: string): string {
  const closed = ['/v1/', '/v2/', '/site/data/', '/offline', '/journeys/', '/trips?', '/map?', '/punctuality/lines?'];
  return ['User-agent: *', ...closed.map((path) => `Disallow: ${path}`), `Sitemap: ${origin}/sitemap.xml`, ''].join(
    '\n',
  );
}

/** @see https://www.sitemaps.org/protocol.html */
function writeSitemap(addresses: readonly string[]): string {
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${addresses.map((address) => html`<url><loc>${address}</loc></url>`)}
</urlset>
`.markup;
}
