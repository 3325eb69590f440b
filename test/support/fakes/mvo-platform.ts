import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { MvoSettings } from '../../../pipeline/timetable/feed/mvo-platform.ts';

/** A data set of the fake, its files by timetable year. */
interface FakeDataSet {
  name: string;
  isActive?: boolean;
  /** Files of active versions. */
  readonly files: Map<number, Uint8Array>;
  /** Whether the list of data sets lacks the versions, although `/versions/active` has them. */
  isMissingInList?: boolean;
}

/** State of the fake; a test may change it between requests. */
export interface FakeMvo {
  readonly settings: MvoSettings;
  readonly dataSets: Map<number, FakeDataSet>;
  /** Data sets whose terms the account has accepted. */
  readonly accepted: Set<number>;
  password: string;
  clientId: string;
  tokenLifetimeSeconds: number;
  /** Milliseconds since 1970, for the expiry of tokens. */
  now: () => number;
  /** Called before the second half of each file is sent; `end` closes the connection instead. */
  halfway: ((id: number) => 'continue' | 'end') | null;
  /** Method and path of each request, with ` 304` if no content was transferred. */
  readonly requests: string[];
}

const USER = 'me@example.org';
const PASSWORD = 'secret-word';
const TERMS = 'https://example.org/terms';

/** Starts a fake of the platform with its OpenID server; both end with the test. */
export async function startFakeMvo(): Promise<FakeMvo> {
  const fake: Omit<FakeMvo, 'settings'> = {
    dataSets: new Map(),
    accepted: new Set(),
    password: PASSWORD,
    clientId: 'ui',
    tokenLifetimeSeconds: 300,
    now: () => Date.now(),
    halfway: null,
    requests: [],
  };
  const tokens = new Map<string, number>();
  const server = createServer((request, response) => {
    void answer(fake, tokens, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    url: `${origin}/api`,
    tokenUrl: `${origin}/token`,
    clientId: fake.clientId,
    user: USER,
    password: PASSWORD,
  };
  return Object.assign(fake, { settings });
}

type Fake = Omit<FakeMvo, 'settings'>;
type Tokens = Map<string, number>;

async function answer(fake: Fake, tokens: Tokens, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url!, 'http://fake');
  fake.requests.push(`${request.method} ${pathname}`);
  if (pathname === '/token') return login(fake, tokens, request, response);
  if (pathname === '/api/data-sets') return sendJson(response, 200, [...fake.dataSets].map(describeDataSet));
  const versions = /^\/api\/data-sets\/(\d+)\/versions\/active$/.exec(pathname);
  if (versions) return sendJson(response, 200, listVersions(fake.dataSets.get(Number(versions[1]))));
  const file = /^\/api\/data-sets\/(\d+)\/(\d{4})\/file$/.exec(pathname);
  if (file) return sendFile(fake, tokens, [Number(file[1]), Number(file[2])], request, response);
  sendJson(response, 404, { error: 'not found' });
}

async function login(fake: Fake, tokens: Tokens, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams((await buffer(request)).toString('utf8'));
  const isRight = form.get('grant_type') === 'password' && form.get('client_id') === fake.clientId;
  if (!isRight) return sendJson(response, 400, { error: 'unauthorized_client' });
  if (form.get('username') !== USER || form.get('password') !== fake.password) {
    return sendJson(response, 401, { error: 'invalid_grant' });
  }
  const token = `token-${tokens.size + 1}`;
  tokens.set(token, fake.now() + fake.tokenLifetimeSeconds * 1000);
  sendJson(response, 200, { access_token: token, expires_in: fake.tokenLifetimeSeconds, token_type: 'Bearer' });
}

function describeDataSet([id, dataSet]: [number, FakeDataSet]) {
  const activeVersions = dataSet.isMissingInList ? [] : listVersions(dataSet);
  return {
    id: String(id),
    nameEn: dataSet.name,
    active: dataSet.isActive ?? true,
    tags: [{ valueDe: 'GTFS' }],
    termsOfUseUrlEn: TERMS,
    latestVersions: activeVersions.map(({ year }) => ({ year })),
    activeVersions,
  };
}

function listVersions(dataSet: FakeDataSet | undefined) {
  return [...(dataSet?.files.keys() ?? [])].map((year) => ({
    year: String(year),
    dataSetVersion: { file: { originalName: `gtfs_${year}.zip` } },
  }));
}

async function sendFile(
  fake: Fake,
  tokens: Tokens,
  [id, year]: readonly [number, number],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (fake.now() >= (tokens.get(token) ?? 0)) return sendJson(response, 401, { error: 'invalid_token' });
  const file = fake.dataSets.get(id)?.files.get(year);
  if (file === undefined) return sendJson(response, 404, { error: 'not found' });
  if (!fake.accepted.has(id)) return sendJson(response, 403, { error: 'terms not accepted' });
  const etag = `"${createHash('sha256').update(file).digest('hex')}"`;
  if (request.headers['if-none-match'] === etag) {
    fake.requests[fake.requests.length - 1] += ' 304';
    response.writeHead(304).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/zip', 'content-length': file.length, etag });
  const half = file.length >> 1;
  response.write(file.subarray(0, half));
  // The first half must be sent before the connection is closed.
  await new Promise((resolve) => setImmediate(resolve));
  if (fake.halfway?.(id) === 'end') return void response.destroy();
  response.end(file.subarray(half));
}

function sendJson(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}
