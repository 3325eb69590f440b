import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashEntityTag } from '../plugins/entity-tag.ts';
import { sendTagged } from './send-tagged.ts';
import { html } from './shell/html.ts';
import { logo, THEME_COLORS } from './shell/icons.ts';
import type { NamedStop, Page } from './shell/page.ts';

interface IdentityOptions {
  /** The pages that search engines should list. */
  readonly menu: readonly Page[];
  /** External URL of the service; undefined: the URL of the request. */
  readonly baseUrl: string | undefined;
  listStops(): readonly NamedStop[];
}

const CACHE = 'public, max-age=86400';

/** Serves the icon, and what browsers and search engines read about the site: web app manifest, robots and sitemap. */
export function serveIdentity(app: FastifyInstance, { menu, baseUrl, listStops }: IdentityOptions): void {
  const serve = (path: string, mediaType: string, write: (origin: string) => string) => {
    app.get(path, (request: FastifyRequest, reply: FastifyReply) => {
      const bytes = Buffer.from(write(baseUrl ?? `${request.protocol}://${request.host}`));
      reply.header('cache-control', CACHE);
      return sendTagged(request, reply, { bytes, tag: hashEntityTag(bytes), mediaType });
    });
  };
  serve('/favicon.svg', 'image/svg+xml; charset=utf-8', () => logo.markup);
  serve('/manifest.webmanifest', 'application/manifest+json; charset=utf-8', () => JSON.stringify(webAppManifest));
  serve('/robots.txt', 'text/plain; charset=utf-8', writeRobots);
  serve('/sitemap.xml', 'application/xml; charset=utf-8', (origin) => {
    const stops = listStops().map(({ id }) => `/stops/${encodeURIComponent(id)}`);
    return writeSitemap(['/', ...menu.map(({ paths }) => paths[0]!), ...stops].map((path) => origin + path));
  });
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
  const closed = ['/v1/', '/v2/', '/site/data/', '/journeys/', '/trips?', '/map?', '/punctuality/lines?'];
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
