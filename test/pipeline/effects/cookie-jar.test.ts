import { expect, it } from 'vitest';
import { openCookieJar } from '../../../pipeline/effects/cookie-jar.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const SETTER = 'https://a.example/feeds/gtfs.zip';

it.each<[reason: string, setCookies: string[], url: string, configured: string | null, header: string | null]>([
  ['sends a cookie', ['id=1'], 'https://a.example/feeds/x', null, 'id=1'],
  ['sends several cookies', ['a=1; Path=/', 'b=2; Path=/; Secure; HttpOnly'], 'https://a.example/', null, 'a=1; b=2'],
  ['keeps a value with = and quotes', ['id="x=y"; Path=/'], 'https://a.example/', null, 'id="x=y"'],
  ['adds to the configured ones', ['id=1; Path=/'], 'https://a.example/', 'key=k; other=o', 'key=k; other=o; id=1'],
  [
    'replaces a configured cookie of the same name',
    ['key=new; Path=/'],
    'https://a.example/',
    'key=old; o=1',
    'o=1; key=new',
  ],
  ['replaces an earlier value', ['id=1', 'id=2'], SETTER, null, 'id=2'],
  ['rejects another host', ['id=1; Path=/'], 'https://b.example/', null, null],
  [
    'rejects a subdomain, although Domain allows it',
    ['id=1; Path=/; Domain=a.example'],
    'https://x.a.example/',
    null,
    null,
  ],
  ['rejects another port', ['id=1; Path=/'], 'https://a.example:8443/', null, null],
  ['rejects another scheme', ['id=1; Path=/'], 'http://a.example/', null, null],
  ['rejects another folder', ['id=1'], 'https://a.example/feedsx', null, null],
  ['rejects another path', ['id=1; Path=/login'], 'https://a.example/feeds/x', null, null],
  ['rejects an invalid path', ['id=1; Path=feeds'], 'https://a.example/feeds/x', null, 'id=1'],
  ['removes by Max-Age', ['id=1', 'id=; Max-Age=0'], SETTER, null, null],
  ['removes by Expires', ['id=1', 'id=; expires=Thu, 01 Jan 1970 00:00:00 GMT'], SETTER, 'k=1', 'k=1'],
  ['prefers Max-Age to Expires', ['id=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], SETTER, null, 'id=1'],
  ['ignores what is not a cookie', ['', ';', 'Secure'], SETTER, null, null],
  ['ignores a cookie without a name', ['=1'], SETTER, null, null],
  ['ignores a cookie that is too long', [`id=${'x'.repeat(5000)}`], SETTER, null, null],
])('%s', (_reason, setCookies, url, configured, header) => {
  const jar = openCookieJar(NOW);
  jar.store(new URL(SETTER), setCookies);
  expect(jar.toHeader(new URL(url), configured)).toBe(header);
});

it('is bounded', () => {
  const jar = openCookieJar(NOW);
  jar.store(
    new URL(SETTER),
    Array.from({ length: 1000 }, (_, i) => `c${i}=1`),
  );
  expect(jar.toHeader(new URL(SETTER), null)!.split('; ')).toHaveLength(20);
});
