import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { problems } from '../../../api/contract/problems.ts';
import type { CreditedSource } from '../../../api/site/shell/credits.ts';
import { temporaryFolder } from '../../jobs/fake-world.ts';
import { openTestApp } from '../test-app.ts';

/** Requests pages in English unless a test overrides it. */
const english = { 'accept-language': 'en' };

const csp =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

describe.each(['/', '/trips', '/problems', '/punctuality', '/predictions', '/docs', '/docs/'])('the page %s', (url) => {
  test('is HTML that can load nothing from other origins', async () => {
    const app = await openTestApp();
    const { statusCode, headers, body } = await app.inject({ url, headers: english });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': csp,
      'x-content-type-options': 'nosniff',
    });
    expect(body).not.toMatch(/(?:src|rel="stylesheet" href)="(?:https?:)?\/\//);
    expect(body).not.toMatch(/<script>|<style|\son\w+=/);
  });
});

test('answers HEAD for every page', async () => {
  const app = await openTestApp();
  for (const url of ['/', '/trips', '/problems', '/punctuality', '/docs', '/docs/', '/openapi.json']) {
    const { statusCode, body } = await app.inject({ method: 'HEAD', url });
    expect([url, statusCode, body]).toEqual([url, 200, '']);
  }
});

test.each([
  ['/', undefined, undefined, 'de'],
  ['/', undefined, 'fr, en;q=0.8, de;q=0.5', 'en'],
  ['/', undefined, 'fr', 'de'],
  ['/', 'a=1; lang=de', 'en', 'de'],
  ['/', 'lang=xx', 'en', 'en'],
  ['/?lang=en', 'lang=de', 'de', 'en'],
  ['/?lang=%3Cb%3E', undefined, 'en-GB', 'en'],
])('%s with the cookie %s and the preference %s is in %s', async (url, cookie, preference, language) => {
  const app = await openTestApp();
  const headers = { ...(cookie && { cookie }), ...(preference && { 'accept-language': preference }) };
  const page = await app.inject({ url, headers });
  expect(page.headers).toMatchObject({ vary: 'Accept-Language, Cookie', 'content-language': language });
  expect(page.body).toContain(`<html lang="${language}">`);
  expect(page.body).toContain(`href="?lang=${language === 'de' ? 'en' : 'de'}"`);
});

test('a page loads its built files, whose names change with the content', async () => {
  const folder = await temporaryFolder();
  for (const name of [
    'shell-1.js',
    'shell-1.css',
    'start-2.js',
    'shared-3.js',
    'start-2.css',
    'licences-4.txt',
    'manifest.json',
  ]) {
    await writeFile(path.join(folder, name), `/* ${name} */`);
  }
  const assets = {
    folder,
    entries: {
      shell: { script: 'shell-1.js', imports: [], style: 'shell-1.css' },
      start: { script: 'start-2.js', imports: ['shared-3.js'], style: 'start-2.css' },
    },
    licences: 'licences-4.txt',
  };
  const app = await openTestApp({ site: { examples: [], assets } });
  const addressesOf = async (url: string) =>
    [...(await app.inject({ url })).body.matchAll(/"(\/site\/[^"]+)"/g)].map(([, address]) => address);
  const shell = ['/site/licences-4.txt', '/site/shell-1.css', '/site/shell-1.js'];
  expect((await addressesOf('/problems')).sort()).toEqual(shell);
  const start = await addressesOf('/');
  expect(start.sort()).toEqual([...shell, '/site/shared-3.js', '/site/start-2.css', '/site/start-2.js'].sort());
  for (const url of start) {
    const { statusCode, headers } = await app.inject({ url: url!, headers: { range: 'bytes=99-', 'if-match': '"x"' } });
    expect([url, statusCode, headers['cache-control']]).toEqual([url, 200, 'public, max-age=31536000, immutable']);
  }
  for (const url of ['/site/manifest.json', '/site/', '/site/..%2f..%2fpackage.json', '/site/shell-0.js']) {
    expect([url, (await app.inject({ url })).statusCode]).toEqual([url, 404]);
  }
});

test('shows announcements on every page, as text', async () => {
  const announcement = { id: 'a', title: 'Works <b>', text: 'Line 1 & "2"', kind: 'maintenance', url: null };
  const app = await openTestApp({ site: { examples: [], listAnnouncements: () => [announcement] } });
  for (const url of PAGES) {
    const { body } = await app.inject({ url });
    expect(body).toContain('<summary>Works &lt;b&gt;</summary>\n<p>Line 1 &amp; &quot;2&quot;</p>');
  }
  expect((await (await openTestApp()).inject({ url: '/' })).body).not.toContain('announcement');
});

test('every problem has its anchor on /problems', async () => {
  const app = await openTestApp();
  const { body } = await app.inject({ url: '/problems' });
  for (const [code, { title }] of Object.entries(problems)) {
    expect(body.split(`id="${code}"`)).toHaveLength(2);
    expect(body).toContain(title);
  }
});

const both = (text: string) => ({ de: text, en: text });

test('the start page shows its examples as text', async () => {
  const examples = [
    { label: both('Board of <Praterstern> & "U1"'), href: '/v2/stops/at:1/departures?limit=3&time=x' },
    { label: both('Trips to <Prater>'), command: "curl 'http://x/v2/trips' -d '{\"from\"}'" },
  ];
  const app = await openTestApp({ site: { examples } });
  const { body } = await app.inject({ url: '/', headers: english });
  const command = 'curl &#39;http://x/v2/trips&#39; -d &#39;{&quot;from&quot;}&#39;';
  expect(body).toContain(`<li><div>Trips to &lt;Prater&gt;<code>${command}</code></div></li>`);
  expect(body).toContain('href="/v2/stops/at:1/departures?limit=3&amp;time=x"');
  expect(body).toContain('Board of &lt;Praterstern&gt; &amp; &quot;U1&quot;');
  expect((await (await openTestApp()).inject({ url: '/' })).body).not.toContain('programs of your own');
});

test.each([true, false])('credits the street data if walks use it (%s)', async (hasStreets) => {
  const app = await openTestApp({ site: { examples: [], hasStreets } });
  const pages = await Promise.all(
    ['/', '/problems', '/openapi.json'].map((url) => app.inject({ url, headers: english })),
  );
  for (const { body } of pages) {
    expect(body.includes('© OpenStreetMap contributors')).toBe(hasStreets);
    expect(body.includes('ODbL')).toBe(hasStreets);
  }
});

const PAGES = ['/', '/problems', '/punctuality', '/predictions', '/departure-board'];
const DOCUMENTS = [...PAGES, '/openapi.json', '/docs/json', '/docs/yaml'];

/** YAML folds its lines. */
const textOf = (body: string) => body.replace(/\s+/g, ' ');

test('credits the lookup that is always used, and its publisher for nothing else', async () => {
  const app = await openTestApp();
  for (const url of DOCUMENTS) {
    const text = textOf((await app.inject({ url, headers: english })).body);
    expect([url, text.split('Stadt Wien').length]).toEqual([url, 2]);
    expect(text).toMatch(
      /List of the stations of Vienna('|&#39;)s underground, their numbers, names and places: (<a [^>]+>)?Stadt Wien/,
    );
    expect(text).not.toMatch(/Realtime data|Wiener Linien, data/);
  }
});

test('labels simulated data on every page and in the document while it is served', async () => {
  const made = { id: 'sample', attribution: 'simulated by <us>', licence: 'CC0 1.0', isMadeUp: true };
  let sources: CreditedSource[] = [made, { ...made, id: 'live', isMadeUp: false }];
  const app = await openTestApp({ site: { examples: [], findSources: () => sources } });
  for (const url of DOCUMENTS) {
    const text = textOf((await app.inject({ url, headers: english })).body);
    expect([url, text.includes('Timetable, delays, disruptions, vehicles and history are made up')]).toEqual([
      url,
      true,
    ]);
    expect(text).toMatch(/Data of sample, live: simulated by (<|&lt;)us/);
  }
  expect((await app.inject({ url: '/', headers: english })).body).toMatch(
    /<p class="made-up" role="note"><span>Demo: all data here is made up\.<\/span>/,
  );
  sources = [{ id: 'bus', attribution: 'Verkehr', licence: null }];
  for (const url of DOCUMENTS) {
    const text = textOf((await app.inject({ url, headers: english })).body);
    expect([url, text.includes('made up'), text.includes('simulated')]).toEqual([url, false, false]);
    expect(text).toContain('Data of bus: Verkehr');
  }
});

describe('an unknown address', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test.each(['/nowhere', '/stops/a/b', '/site/unknown', '/%3Cscript%3E'])('%s is a page to a browser', async (url) => {
    const app = await openTestApp();
    const { statusCode, headers, body } = await app.inject({ url, headers: { ...browser, ...english } });
    expect(statusCode).toBe(404);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'content-security-policy': csp,
      'cache-control': 'no-store',
      vary: expect.stringContaining('Accept, Accept-Language'),
    });
    expect(body).toContain('<h1>Nothing stops here</h1>');
    for (const link of ['/stops', '/trips', '/map']) expect(body).toContain(`<li><a href="${link}">`);
    expect(body).not.toContain('<script>');
  });

  test.each([
    ['/nowhere', 'GET', undefined],
    ['/nowhere', 'GET', '*/*'],
    ['/nowhere', 'POST', 'text/html'],
    ['/v1/nowhere', 'GET', 'text/html'],
    ['/v2/nowhere', 'GET', 'text/html'],
  ] as const)('%s by %s is a problem to who accepts %s', async (url, method, accept) => {
    const app = await openTestApp();
    const { statusCode, headers } = await app.inject({ url, method, headers: accept === undefined ? {} : { accept } });
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/problem+json']);
  });
});

describe('the identity of a built site', () => {
  const openBuilt = async (stopsScript: string) => {
    const folder = await temporaryFolder();
    const files = ['icon-180-a.png', 'icon-512-b.png', 'preview-c.png', 'shell-1.js', 'shared-2.js', stopsScript];
    for (const name of files) await writeFile(path.join(folder, name), name);
    const assets = {
      folder,
      entries: {
        shell: { script: 'shell-1.js', imports: [], style: null },
        stops: { script: stopsScript, imports: ['shared-2.js'], style: null },
      },
      pictures: {
        icons: [
          { pixels: 180, file: 'icon-180-a.png' },
          { pixels: 512, file: 'icon-512-b.png' },
        ],
        preview: { file: 'preview-c.png', width: 1200, height: 630 },
      },
    };
    return openTestApp({ site: { examples: [], assets, baseUrl: 'https://takt.example' } });
  };

  test('has pictures for home screens and shared links', async () => {
    const app = await openBuilt('stops-3.js');
    const { body } = await app.inject({ url: '/', headers: english });
    expect(body).toContain('<meta property="og:image" content="https://takt.example/site/preview-c.png">');
    expect(body).toContain('<link rel="apple-touch-icon" href="/site/icon-180-a.png">');
    const { icons } = (await app.inject({ url: '/manifest.webmanifest' })).json();
    const png = { type: 'image/png', purpose: 'any maskable' };
    expect(icons).toEqual([
      { src: '/site/icon-180-a.png', sizes: '180x180', ...png },
      { src: '/site/icon-512-b.png', sizes: '512x512', ...png },
      { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    ]);
    for (const { src } of icons) expect((await app.inject({ url: src })).statusCode).toBe(200);
  });

  test('has a service worker whose version changes with the files', async () => {
    const read = async (stopsScript: string) => {
      const { headers, body } = await (await openBuilt(stopsScript)).inject({ url: '/service-worker.js' });
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'no-cache',
      });
      return JSON.parse(/^const release = (.*);$/m.exec(body)![1]!) as { version: string; files: string[] };
    };
    const release = await read('stops-3.js');
    expect(release.files).toEqual(['/site/shell-1.js', '/site/stops-3.js', '/site/shared-2.js']);
    expect(await read('stops-3.js')).toEqual(release);
    expect((await read('stops-4.js')).version).not.toBe(release.version);
    expect((await (await openTestApp()).inject({ url: '/service-worker.js' })).statusCode).toBe(404);
  });
});

describe('the identity of the site', () => {
  test('is linked from every page', async () => {
    const app = await openTestApp();
    for (const url of PAGES) {
      const { body } = await app.inject({ url, headers: english });
      for (const [, path] of body.matchAll(/<link rel="(?:icon|manifest)" href="([^"]+)"/g)) {
        expect((await app.inject({ url: path! })).statusCode).toBe(200);
      }
      expect(body.match(/<meta name="theme-color"/g)).toHaveLength(2);
      expect(body).toMatch(/<meta property="og:title" content="[^"]+">/);
      expect(body).toMatch(/<meta name="description" content="[^"]{20,200}">/);
    }
  });

  test('has a manifest whose addresses exist', async () => {
    const app = await openTestApp();
    const manifest = (await app.inject({ url: '/manifest.webmanifest' })).json();
    const addresses = [manifest.start_url, ...manifest.icons.map(({ src }: { src: string }) => src)];
    for (const { url } of manifest.shortcuts) addresses.push(url);
    for (const url of addresses) expect([url, (await app.inject({ url })).statusCode]).toEqual([url, 200]);
  });

  test('lists pages and busy stops for search engines, under the external address', async () => {
    const busiest = [{ id: 'at:1&2', name: 'Wien' }];
    const app = await openTestApp({
      site: { examples: [], baseUrl: 'https://takt.example', listBusiestStops: () => busiest },
    });
    expect((await app.inject({ url: '/robots.txt' })).body).toContain('\nSitemap: https://takt.example/sitemap.xml\n');
    const { body } = await app.inject({ url: '/sitemap.xml' });
    const listed = [...body.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address);
    expect(listed).toEqual(expect.arrayContaining(['https://takt.example/', 'https://takt.example/trips']));
    expect(listed).toContain('https://takt.example/stops/at%3A1%262');
  });
});

test('all internal links have a target', async () => {
  const app = await openTestApp();
  const pages = await Promise.all(['/', '/problems'].map((url) => app.inject({ url, headers: english })));
  const links = pages.flatMap(({ body }) => [...body.matchAll(/href="(\/[^"#]*)"/g)].map(([, href]) => href!));
  const ownPages = [...new Set(links)].filter((href) => !/^\/v\d\//.test(href));
  expect(ownPages).toEqual(expect.arrayContaining(['/', '/docs', '/openapi.json', '/problems', '/stops']));
  for (const url of ownPages) expect((await app.inject({ url, headers: english })).statusCode).toBe(200);
});

test('/openapi.json is the document that /docs shows', async () => {
  const app = await openTestApp({ site: { examples: [], baseUrl: 'https://transit.example' } });
  const document = await app.inject({ url: '/openapi.json' });
  expect(document.headers['content-type']).toBe('application/json');
  expect(document.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://transit.example' }] });
  expect((await app.inject({ url: '/docs/json' })).json()).toEqual(document.json());
});

test.each(['/', '/punctuality', '/docs', '/docs/'])('%s sets a viewport', async (url) => {
  const { body, headers } = await (await openTestApp()).inject({ url });
  expect(body.match(/<meta name="viewport" content="width=device-width, initial-scale=1">/g)).toHaveLength(1);
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body));
});

test.each(['/docs/static/swagger-ui.css', '/docs/static/swagger-ui-bundle.js'])(
  'the documentation serves its own %s',
  async (url) => {
    const app = await openTestApp();
    expect((await app.inject({ url, headers: english })).statusCode).toBe(200);
  },
);

test('serves no files outside the documentation', async () => {
  const app = await openTestApp();
  for (const name of ['../package.json', '..%2f..%2fpackage.json', '%2e%2e/%2e%2e/package.json', '.git', '%00']) {
    const { statusCode } = await app.inject({ url: `/docs/static/${name}` });
    expect([name, statusCode]).toEqual([name, 404]);
  }
});

test.each(['range', 'if-match', 'if-unmodified-since'])('ignores conditions on files (%s)', async (name) => {
  const app = await openTestApp();
  for (const value of ['bytes=99999999-', 'bytes=0-1', '"x"', 'Mon, 01 Jan 2001 00:00:00 GMT']) {
    const { statusCode } = await app.inject({ url: '/docs/static/swagger-ui.css', headers: { [name]: value } });
    expect([value, statusCode]).toEqual([value, 200]);
  }
});

const documentation = ['/docs/static/swagger-ui.css', '/docs/static/swagger-ui-bundle.js'];

test.each(['/', '/problems', '/punctuality', '/openapi.json'])(
  '%s is answered with 304 for a matching tag',
  async (url) => {
    const app = await openTestApp();
    const first = await app.inject({ url, headers: english });
    expect(first.headers['cache-control']).toBe(url === '/openapi.json' ? 'public, max-age=300' : 'no-cache');
    for (const condition of [String(first.headers.etag), `"other", W/${first.headers.etag}`, '*']) {
      for (const method of ['GET', 'HEAD'] as const) {
        const again = await app.inject({ method, url, headers: { ...english, 'if-none-match': condition } });
        expect([condition, again.statusCode, again.body, again.headers.etag]).toEqual([
          condition,
          304,
          '',
          first.headers.etag,
        ]);
      }
    }
  },
);

test.each(documentation)('answers files of the documentation with 304 for a matching tag (%s)', async (url) => {
  const app = await openTestApp();
  const { etag } = (await app.inject({ url, headers: english })).headers;
  for (const condition of etag === undefined ? [] : [etag, '*']) {
    const again = await app.inject({ url, headers: { 'if-none-match': condition } });
    expect([condition, again.statusCode, again.body]).toEqual([condition, 304, '']);
  }
});

test('pages credit the current sources, each author once', async () => {
  const land = { attribution: 'Verkehr <Land>', licence: 'CC BY 4.0' };
  let sources = [
    { id: 'bus', ...land },
    { id: 'rail', ...land },
    { id: 'unknown', attribution: null, licence: 'CC BY 4.0' },
    { id: 'own', attribution: 'Stadt', licence: 'by contract & word' },
    { id: 'bare', attribution: 'Dorf', licence: null },
  ];
  const app = await openTestApp({ site: { examples: [], findSources: () => sources } });
  for (const url of ['/', '/problems', '/punctuality']) {
    const { body, headers } = await app.inject({ url, headers: english });
    expect(body).toContain(
      '<p>Data of bus, rail: Verkehr &lt;Land&gt;, licence <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>.</p>',
    );
    expect(body).toContain('<p>Data of own: Stadt, licence by contract &amp; word.</p>');
    expect(body).toContain('<p>Data of bare: Dorf.</p>');
    expect(body).not.toContain('unknown:');
    expect((await app.inject({ url, headers: english })).headers.etag).toBe(headers.etag);
  }
  const { etag } = (await app.inject({ url: '/', headers: english })).headers;
  sources = [];
  const after = await app.inject({ url: '/', headers: english });
  expect([after.body.includes('Data of'), after.headers.etag === etag]).toEqual([false, false]);
});

test('the start page links to the boards of the busiest stops, whatever their names', async () => {
  const listBusiestStops = () => [{ id: 'a:b/"c', name: '<img src=x onerror=alert(1)>' }];
  const app = await openTestApp({ site: { examples: [], listBusiestStops } });
  const { body } = await app.inject({ url: '/' });
  expect(body).toContain('<a href="/stops/a%3Ab%2F%22c">&lt;img src=x onerror=alert(1)&gt;</a>');
});

test.each([
  ['/stops', 200, '<h1>Departures</h1>'],
  ['/stops/a%3A%22b', 200, '<h1><bdi>&lt;b&gt;</bdi></h1>'],
  ['/stops/none', 404, '<h1><bdi>The timetable has no such stop</bdi></h1>'],
  ['/journeys/%3Cb%3E', 200, 'data-ref="&lt;b&gt;"'],
])('%s is answered with %s', async (url, status, markup) => {
  const findStopName = (id: string) => (id === 'a:"b' ? '<b>' : null);
  const app = await openTestApp({ site: { examples: [], findStopName } });
  const page = await app.inject({ url, headers: english });
  expect([page.statusCode, page.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
  expect(page.headers['content-security-policy']).toBe(csp);
  expect(page.body).toContain(markup);
});
