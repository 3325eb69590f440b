import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Clock, nowInstant } from '../../effects/clock.ts';
import type { Instant } from '../../model/service-time.ts';
import { type AnswerSource, textAnswer, type UpstreamAnswer, type UpstreamTimes } from './answer-source.ts';

/**
 * Failure modes of an upstream, each observed in reality:
 * - `status503`: overloaded; `hang`: accepts the request and never answers; `reset`: the connection breaks
 * - `slowDrip`: a byte at a time; `hugeBody`: an endless answer; `redirectLoop`: redirects to itself
 * - `truncated`: the answer is cut; clean when the length header agrees, else the header says more
 * - `html`: 200 with an HTML page
 * - `oldTimestamps`, `futureTimestamps`: all data are of another time
 * - `frozen`: the data stay as they were when the fault began
 */
export type Fault =
  | { readonly kind: 'status503' | 'hang' | 'reset' | 'hugeBody' | 'redirectLoop' | 'html' | 'frozen' }
  | { readonly kind: 'slowDrip'; readonly millisecondsPerByte: number }
  | { readonly kind: 'truncated'; readonly afterBytes: number; readonly isClean: boolean }
  | { readonly kind: 'oldTimestamps' | 'futureTimestamps'; readonly seconds: number };

const DEFAULT_DRIP_MILLISECONDS = 200;
const DEFAULT_CUT_BYTES = 100;
const DEFAULT_SHIFT_SECONDS = 3 * 3600;

/**
 * Reads a fault from JSON, `{"kind": "truncated", "afterBytes": 10}`; omitted members have defaults.
 * @throws RangeError with a message for the client
 */
function parseFault(value: unknown): Fault {
  if (typeof value !== 'object' || value === null) throw new RangeError('a fault is an object with a kind');
  const fault = value as Record<string, unknown>;
  switch (fault.kind) {
    case 'status503':
    case 'hang':
    case 'reset':
    case 'hugeBody':
    case 'redirectLoop':
    case 'html':
    case 'frozen':
      return { kind: fault.kind };
    case 'slowDrip':
      return {
        kind: fault.kind,
        millisecondsPerByte: readNumber(fault, 'millisecondsPerByte', DEFAULT_DRIP_MILLISECONDS),
      };
    case 'truncated':
      return {
        kind: fault.kind,
        afterBytes: readNumber(fault, 'afterBytes', DEFAULT_CUT_BYTES),
        isClean: fault.isClean === true,
      };
    case 'oldTimestamps':
    case 'futureTimestamps':
      return { kind: fault.kind, seconds: readNumber(fault, 'seconds', DEFAULT_SHIFT_SECONDS) };
    default:
      throw new RangeError(`no fault is called ${JSON.stringify(fault.kind)}`);
  }
}

const LARGEST_NUMBER = 1_000_000_000;

function readNumber(fault: Record<string, unknown>, name: string, fallback: number): number {
  const value = fault[name] ?? fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LARGEST_NUMBER) return value;
  throw new RangeError(`${name} is a whole number from 0 on`);
}

/** Sends a whole answer; 304 if the client already has it, by entity tag or else by time. */
function sendAnswer(answer: UpstreamAnswer, request: IncomingMessage, response: ServerResponse): void {
  if (answer.status !== 200 || request.method !== 'GET') {
    response.writeHead(answer.status, withLength(answer)).end(answer.body);
    return;
  }
  const etag = `"${createHash('sha256').update(answer.body).digest('hex').slice(0, 32)}"`;
  const headers = { ...withLength(answer), etag };
  if (isKnown(request, etag, answer.headers['last-modified'])) response.writeHead(304, { etag }).end();
  else response.writeHead(200, headers).end(answer.body);
}

function isKnown({ headers }: IncomingMessage, etag: string, lastModified: string | undefined): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  const since = headers['if-modified-since'];
  return since !== undefined && lastModified !== undefined && Date.parse(lastModified) <= Date.parse(since);
}

function withLength({ headers, body }: UpstreamAnswer): Record<string, string | number> {
  return { ...headers, 'content-length': body.length };
}

/** Sends an answer with a transmission fault; other faults change its content. */
async function sendFaulty(
  fault: Fault,
  answer: UpstreamAnswer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (fault.kind) {
    case 'slowDrip':
      return sendSlowly(answer, fault.millisecondsPerByte, response);
    case 'truncated':
      return sendCut(answer, fault, response);
    case 'hugeBody':
      return sendForEver(answer, response);
    default:
      return sendAnswer(answer, request, response);
  }
}

function sendSlowly(answer: UpstreamAnswer, millisecondsPerByte: number, response: ServerResponse): void {
  response.writeHead(answer.status, withLength(answer));
  response.flushHeaders();
  let sent = 0;
  const drip = setInterval(() => {
    response.write(answer.body.subarray(sent, sent + 1));
    sent += 1;
    if (sent < answer.body.length) return;
    clearInterval(drip);
    response.end();
  }, millisecondsPerByte);
  drip.unref();
  response.once('close', () => clearInterval(drip));
}

function sendCut(
  answer: UpstreamAnswer,
  { afterBytes, isClean }: Extract<Fault, { kind: 'truncated' }>,
  response: ServerResponse,
): void {
  // Never the whole answer, however short.
  const body = answer.body.subarray(0, Math.min(afterBytes, answer.body.length - 1));
  if (isClean) {
    response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length }).end(body);
    return;
  }
  response.writeHead(answer.status, withLength(answer));
  response.write(body, () => response.destroy());
}

const CHUNK_BYTES = 65_536;

/** Repeats the answer endlessly, so that its beginning is valid. */
async function sendForEver(answer: UpstreamAnswer, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, answer.headers);
  const piece = answer.body.length > 0 ? answer.body : Buffer.from(' ');
  const chunk = Buffer.concat(Array.from({ length: Math.ceil(CHUNK_BYTES / piece.length) }, () => piece));
  try {
    await pipeline(Readable.from(repeat(chunk)), response);
  } catch (error) {
    // Ends only when client or server closes the connection.
    if (!response.destroyed) throw error;
  }
}

function* repeat(chunk: Buffer): Generator<Buffer> {
  while (true) yield chunk;
}

interface FakeUpstreamOptions {
  /** Source of the answers: the simulator, recordings, or a chain of them. */
  readonly answers: AnswerSource;
  readonly clock: Clock;
  /** 0, the default: any free port. */
  readonly port?: number;
}

export interface FakeUpstream {
  /** Without a slash at the end. */
  readonly url: string;
  /** Sets a fault for one path, or for all paths without a separate one; null ends it. */
  setFault(path: string, fault: Fault | null): void;
  /** Number of requests by path, including failures. */
  requests(): ReadonlyMap<string, number>;
  /** Closes every connection, hanging ones too, and stops. */
  close(): Promise<void>;
}

/** Stands for all paths. */
export const ALL_PATHS = 'all';

/** Without access control, so it listens on this machine only. */
const HOST = '127.0.0.1';
const FAULTS_PATH = '/_faults';
const MAX_BODY_BYTES = 1_048_576;

interface ActiveFault {
  readonly fault: Fault;
  readonly since: Instant;
}

interface Upstream {
  readonly answers: AnswerSource;
  readonly clock: Clock;
  readonly faults: Map<string, ActiveFault>;
  readonly requests: Map<string, number>;
}

/**
 * Starts a server that answers like the publishers and fails like them on demand: by `setFault`, or by `POST /_faults`
 * with `{"path": "/trias", "fault": {"kind": "hang"}}`. It never keeps the process alive.
 * @throws the system error if the port is taken
 */
export async function startFakeUpstream({ answers, clock, port = 0 }: FakeUpstreamOptions): Promise<FakeUpstream> {
  const upstream: Upstream = { answers, clock, faults: new Map(), requests: new Map() };
  const server = createServer((request, response) => {
    answerRequest(upstream, request, response).catch((error: unknown) => refuseAfterError(error, response));
  });
  server.on('connection', (socket) => socket.unref());
  await listen(server, port);
  server.unref();
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    setFault: (path, fault) => setFault(upstream, path, fault),
    requests: () => upstream.requests,
    close: () => close(server),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => {
      const isClosedAlready = error && 'code' in error && error.code === 'ERR_SERVER_NOT_RUNNING';
      if (error && !isClosedAlready) reject(error);
      else resolve();
    });
    server.closeAllConnections();
  });
}

function setFault({ faults, clock }: Upstream, path: string, fault: Fault | null): void {
  if (fault) faults.set(path, { fault, since: nowInstant(clock) });
  else faults.delete(path);
}

/** A bug in building an answer is sent to the client, as there is no log. */
function refuseAfterError(error: unknown, response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(`${String(error)}\n`);
}

// ---- One request -------------------------------------------------------------------------------

async function answerRequest(upstream: Upstream, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${HOST}`);
  const body = await readBody(request);
  if (body === null) return sendAnswer(plain(413, 'too long'), request, response);
  if (url.pathname === FAULTS_PATH) return sendAnswer(controlFaults(upstream, request, body), request, response);

  upstream.requests.set(url.pathname, (upstream.requests.get(url.pathname) ?? 0) + 1);
  const active = upstream.faults.get(url.pathname) ?? upstream.faults.get(ALL_PATHS);
  if (active && failWithoutAnswer(active.fault, url, request, response)) return;
  const { host = HOST } = request.headers;
  const received = { method: request.method ?? 'GET', path: url.pathname, query: url.searchParams, host, body };
  const answer = await upstream.answers(received, toUpstreamTimes(active, nowInstant(upstream.clock)));
  if (!answer) return sendAnswer(plain(404, 'no such path'), request, response);
  if (active) return sendFaulty(active.fault, answer, request, response);
  return sendAnswer(answer, request, response);
}

/** @returns null if the body is too long */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Reads to the end anyway: a client that is still sending would not receive the refusal.
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_BODY_BYTES) return null;
  return Buffer.concat(chunks).toString('utf8');
}

function plain(status: number, text: string): UpstreamAnswer {
  return textAnswer(status, 'text/plain; charset=utf-8', `${text}\n`);
}

/** Applies faults that need no answer. @returns whether it was one of them */
function failWithoutAnswer(fault: Fault, url: URL, request: IncomingMessage, response: ServerResponse): boolean {
  switch (fault.kind) {
    case 'hang':
      return true;
    case 'reset':
      request.socket.resetAndDestroy();
      return true;
    case 'status503':
      response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '30' }).end('overloaded\n');
      return true;
    case 'redirectLoop':
      response.writeHead(302, { location: url.pathname + url.search, 'content-length': 0 }).end();
      return true;
    case 'html':
      sendAnswer(textAnswer(200, 'text/html; charset=utf-8', MAINTENANCE_PAGE), request, response);
      return true;
    default:
      return false;
  }
}

const MAINTENANCE_PAGE =
  '<!DOCTYPE html>\n<html lang="de"><head><title>Wartung</title></head><body><h1>Wartungsarbeiten</h1></body></html>\n';

function toUpstreamTimes(active: ActiveFault | undefined, now: Instant): UpstreamTimes {
  const shifted = (seconds: number) => ({ at: (now + seconds) as Instant, serverTime: (now + seconds) as Instant });
  switch (active?.fault.kind) {
    case 'frozen':
      // The data are frozen, but not the server's clock.
      return { at: active.since, serverTime: now };
    case 'oldTimestamps':
      return shifted(-active.fault.seconds);
    case 'futureTimestamps':
      return shifted(active.fault.seconds);
    default:
      return shifted(0);
  }
}

// ---- Faults on demand --------------------------------------------------------------------------

/** `GET` lists the faults, `POST` sets or ends one. */
function controlFaults(upstream: Upstream, request: IncomingMessage, body: string): UpstreamAnswer {
  if (request.method === 'POST') {
    // Browsers cannot send this type to another origin without a preflight, so no web page can control the demo.
    if (!request.headers['content-type']?.startsWith('application/json')) return plain(415, 'application/json, please');
    try {
      const { path, fault } = readFaultRequest(body);
      setFault(upstream, path, fault);
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof RangeError) return plain(400, error.message);
      throw error;
    }
  } else if (request.method !== 'GET') return plain(405, 'GET or POST');
  const faults = Object.fromEntries([...upstream.faults].map(([path, { fault }]) => [path, fault]));
  return textAnswer(200, 'application/json; charset=utf-8', JSON.stringify(faults));
}

function readFaultRequest(body: string): { readonly path: string; readonly fault: Fault | null } {
  const value: unknown = JSON.parse(body);
  if (typeof value !== 'object' || value === null || !('path' in value) || !('fault' in value)) {
    throw new RangeError('an object with path and fault, please');
  }
  const { path, fault } = value;
  if (typeof path !== 'string' || (path !== ALL_PATHS && !path.startsWith('/'))) {
    throw new RangeError(`path is "${ALL_PATHS}" or begins with a slash`);
  }
  return { path, fault: fault === null ? null : parseFault(fault) };
}
