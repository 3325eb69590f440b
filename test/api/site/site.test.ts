import { describe, expect, test } from 'vitest';
import { problems } from '../../../api/contract/problems.ts';
import type { CreditedSource } from '../../../api/site/credits.ts';
import { openTestApp } from '../test-app.ts';

const csp =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

describe.each(['/', '/problems', '/punctuality', '/docs', '/docs/'])('the page %s', (url) => {
  test('is HTML that may load nothing from elsewhere', async () => {
    const app = await openTestApp();
    const { statusCode, headers, body } = await app.inject({ url });
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

test('HEAD finds every page', async () => {
  const app = await openTestApp();
  for (const url of ['/', '/problems', '/punctuality', '/docs', '/docs/', '/openapi.json', '/site.css']) {
    const { statusCode, body } = await app.inject({ method: 'HEAD', url });
    expect([url, statusCode, body]).toEqual([url, 200, '']);
  }
});

test('every problem has its anchor on /problems', async () => {
  const app = await openTestApp();
  const { body } = await app.inject({ url: '/problems' });
  for (const [code, { title }] of Object.entries(problems)) {
    expect(body.split(`id="${code}"`)).toHaveLength(2);
    expect(body).toContain(title);
  }
});

test('the landing page shows the examples it was given, as text', async () => {
  const examples = [
    { label: 'Board of <Praterstern> & "U1"', href: '/v2/stops/at:1/departures?limit=3&time=x' },
    { label: 'Trips to <Prater>', command: "curl 'http://x/v2/trips' -d '{\"from\"}'" },
  ];
  const app = await openTestApp({ site: { examples } });
  const { body } = await app.inject({ url: '/' });
  const command = 'curl &#39;http://x/v2/trips&#39; -d &#39;{&quot;from&quot;}&#39;';
  expect(body).toContain(`<li><div>Trips to &lt;Prater&gt;<code>${command}</code></div></li>`);
  expect(body).toContain('href="/v2/stops/at:1/departures?limit=3&amp;time=x"');
  expect(body).toContain('Board of &lt;Praterstern&gt; &amp; &quot;U1&quot;');
  expect((await (await openTestApp()).inject({ url: '/' })).body).not.toContain('Try it');
});

test.each([true, false])('who drew the streets is named where walks lead along them (%s)', async (hasStreets) => {
  const app = await openTestApp({ site: { examples: [], hasStreets } });
  const pages = await Promise.all(['/', '/problems', '/openapi.json'].map((url) => app.inject({ url })));
  for (const { body } of pages) {
    expect(body.includes('© OpenStreetMap contributors')).toBe(hasStreets);
    expect(body.includes('ODbL')).toBe(hasStreets);
  }
});

const PAGES = ['/', '/problems', '/punctuality', '/departure-board'];
const DOCUMENTS = [...PAGES, '/openapi.json', '/docs/json', '/docs/yaml'];

/** YAML folds its lines. */
const textOf = (body: string) => body.replace(/\s+/g, ' ');

test('the one list that is always there is credited for what it holds, and its publisher for nothing else', async () => {
  const app = await openTestApp();
  for (const url of DOCUMENTS) {
    const text = textOf((await app.inject({ url })).body);
    expect([url, text.split('Stadt Wien').length]).toEqual([url, 2]);
    expect(text).toMatch(
      /List of the stations of Vienna('|&#39;)s underground, their numbers, names and places: (<a [^>]+>)?Stadt Wien/,
    );
    expect(text).not.toMatch(/Realtime data|Wiener Linien, data/);
  }
});

test('what is made up is said to be, on every page and in the document, for as long as it is served', async () => {
  const made = { id: 'sample', attribution: 'simulated by <us>', licence: 'CC0 1.0', isMadeUp: true };
  let sources: CreditedSource[] = [made, { ...made, id: 'live', isMadeUp: false }];
  const app = await openTestApp({ site: { examples: [], findSources: () => sources } });
  for (const url of DOCUMENTS) {
    const text = textOf((await app.inject({ url })).body);
    expect([url, text.includes('Timetable, delays, disruptions, vehicles and history are made up')]).toEqual([
      url,
      true,
    ]);
    expect(text).toMatch(/Data of sample, live: simulated by (<|&lt;)us/);
  }
  expect((await app.inject({ url: '/' })).body).toMatch(/<p class="made-up" role="note">This is a demonstration/);
  sources = [{ id: 'bus', attribution: 'Verkehr', licence: null }];
  for (const url of DOCUMENTS) {
    const text = textOf((await app.inject({ url })).body);
    expect([url, text.includes('made up'), text.includes('simulated')]).toEqual([url, false, false]);
    expect(text).toContain('Data of bus: Verkehr');
  }
});

test('all links within the site lead somewhere', async () => {
  const app = await openTestApp();
  const pages = await Promise.all(['/', '/problems'].map((url) => app.inject({ url })));
  const links = pages.flatMap(({ body }) => [...body.matchAll(/href="(\/[^"#]*)"/g)].map(([, href]) => href!));
  const ownPages = [...new Set(links)].filter((href) => !/^\/v\d\//.test(href));
  expect(ownPages.sort()).toEqual([
    '/',
    '/departure-board',
    '/docs',
    '/openapi.json',
    '/problems',
    '/punctuality',
    '/site.css',
  ]);
  for (const url of ownPages) expect((await app.inject({ url })).statusCode).toBe(200);
});

test('/openapi.json is the document that /docs shows', async () => {
  const app = await openTestApp({ site: { examples: [], baseUrl: 'https://transit.example' } });
  const document = await app.inject({ url: '/openapi.json' });
  expect(document.headers['content-type']).toBe('application/json');
  expect(document.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://transit.example' }] });
  expect((await app.inject({ url: '/docs/json' })).json()).toEqual(document.json());
});

test.each(['/', '/punctuality', '/docs', '/docs/'])('%s is as wide as the screen that shows it', async (url) => {
  const { body, headers } = await (await openTestApp()).inject({ url });
  expect(body.match(/<meta name="viewport" content="width=device-width, initial-scale=1">/g)).toHaveLength(1);
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body));
});

test('the documentation tries nothing but GET, since a browser sends Origin with the rest', async () => {
  const app = await openTestApp();
  const { body } = await app.inject({ url: '/docs/static/swagger-initializer.js' });
  expect(body).toContain('"supportedSubmitMethods":["get"]');
});

test.each(['/docs/static/swagger-ui.css', '/docs/static/swagger-ui-bundle.js', '/docs/static/theme/dark.css'])(
  'the documentation serves its own %s',
  async (url) => {
    const app = await openTestApp();
    expect((await app.inject({ url })).statusCode).toBe(200);
  },
);

test('nothing outside of the documentation can be read through it', async () => {
  const app = await openTestApp();
  for (const name of ['../package.json', '..%2f..%2fpackage.json', '%2e%2e/%2e%2e/package.json', '.git', '%00']) {
    const { statusCode } = await app.inject({ url: `/docs/static/${name}` });
    expect([name, statusCode]).toEqual([name, 404]);
  }
});

test.each(['range', 'if-match', 'if-unmodified-since'])('a condition on a file (%s) is no failure', async (name) => {
  const app = await openTestApp();
  for (const value of ['bytes=99999999-', 'bytes=0-1', '"x"', 'Mon, 01 Jan 2001 00:00:00 GMT']) {
    const { statusCode } = await app.inject({ url: '/docs/static/swagger-ui.css', headers: { [name]: value } });
    expect([value, statusCode]).toEqual([value, 200]);
  }
});

const documentation = ['/docs/static/swagger-ui.css', '/docs/static/swagger-initializer.js'];

test.each(['/', '/problems', '/punctuality', '/site.css', '/openapi.json'])(
  '%s is not sent again to who has it',
  async (url) => {
    const app = await openTestApp();
    const first = await app.inject({ url });
    expect(first.headers['cache-control']).toBe('public, max-age=300');
    for (const condition of [String(first.headers.etag), `"other", W/${first.headers.etag}`, '*']) {
      for (const method of ['GET', 'HEAD'] as const) {
        const again = await app.inject({ method, url, headers: { 'if-none-match': condition } });
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

test.each(documentation)('a file of the documentation with a tag is not sent again (%s)', async (url) => {
  const app = await openTestApp();
  const { etag } = (await app.inject({ url })).headers;
  for (const condition of etag === undefined ? [] : [etag, '*']) {
    const again = await app.inject({ url, headers: { 'if-none-match': condition } });
    expect([condition, again.statusCode, again.body]).toEqual([condition, 304, '']);
  }
});

test('pages credit the sources as they are configured, each author once, and anew when they are others', async () => {
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
    const { body, headers } = await app.inject({ url });
    expect(body).toContain(
      '<p>Data of bus, rail: Verkehr &lt;Land&gt;, licence <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>.</p>',
    );
    expect(body).toContain('<p>Data of own: Stadt, licence by contract &amp; word.</p>');
    expect(body).toContain('<p>Data of bare: Dorf.</p>');
    expect(body).not.toContain('unknown:');
    expect((await app.inject({ url })).headers.etag).toBe(headers.etag);
  }
  const { etag } = (await app.inject({ url: '/' })).headers;
  sources = [];
  const after = await app.inject({ url: '/' });
  expect([after.body.includes('Data of'), after.headers.etag === etag]).toEqual([false, false]);
});
