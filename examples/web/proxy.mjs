// A web server for the pages in `public`, and a proxy for the three routes of the API that they use.
// Usage: node examples/web/proxy.mjs [--api http://localhost:8080] [--port 3000]
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const PAGES = new Map([
  ['/', ['board.html', 'text/html; charset=utf-8']],
  ['/trips', ['trips.html', 'text/html; charset=utf-8']],
  ['/pages.css', ['pages.css', 'text/css; charset=utf-8']],
]);

/** Routes that visitors may use: nothing else of the API is reachable through this server. */
const ROUTES = [
  { method: 'GET', path: /^\/v2\/stops$/ },
  { method: 'GET', path: /^\/v2\/stops\/[^/]+\/departures$/ },
  { method: 'POST', path: /^\/v2\/trips$/ },
];
const MAX_BODY_BYTES = 16_384;
const KEEP_MILLISECONDS = 10_000;

const { values } = parseArgs({
  options: { api: { type: 'string', default: 'http://localhost:8080' }, port: { type: 'string', default: '3000' } },
});
/** Responses to GET requests by address, each kept for ten seconds. */
const cache = new Map();

async function fetchOnce(address) {
  const known = cache.get(address);
  if (known && known.until > Date.now()) return known.answer;
  const answer = fetch(address).then(async (response) => ({ status: response.status, body: await response.text() }));
  cache.set(address, { until: Date.now() + KEEP_MILLISECONDS, answer });
  setTimeout(() => cache.delete(address), KEEP_MILLISECONDS).unref();
  return answer;
}

async function readBody(request) {
  let body = '';
  for await (const chunk of request) {
    body += chunk;
    if (body.length > MAX_BODY_BYTES) throw new RangeError('the request is too large');
  }
  return body;
}

async function answer(request) {
  const url = new URL(request.url, 'http://localhost');
  const page = PAGES.get(url.pathname);
  if (page && request.method === 'GET') {
    const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'public');
    return { status: 200, type: page[1], body: await readFile(path.join(folder, page[0])) };
  }
  const type = 'application/json; charset=utf-8';
  const isAllowed = ROUTES.some((route) => route.method === request.method && route.path.test(url.pathname));
  if (!isAllowed) return { status: 404, type, body: '{"error":"not found"}' };
  const address = `${values.api}${url.pathname}${url.search}`;
  if (request.method === 'GET') return { type, ...(await fetchOnce(address)) };
  // The browser's own headers, among them Origin, are not passed on.
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body: await readBody(request) });
  return { status: response.status, type, body: await response.text() };
}

const server = createServer((request, response) => {
  answer(request)
    .catch((error) => ({ status: 502, type: 'text/plain', body: `The API cannot be reached: ${error.message}` }))
    .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body));
});
server.listen(Number(values.port), '127.0.0.1', () => {
  console.log(`Open http://localhost:${server.address().port} (API: ${values.api})`);
});
