import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { StoreSettings } from '../../../pipeline/effects/object-store/object-store.ts';

/** A stored object. */
interface S3Object {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modified: number;
}

/** What the server does instead of answering a request. */
export type S3Fault =
  | { readonly kind: 'status'; readonly status: number; readonly code: string }
  | { readonly kind: 'cut' } // The connection breaks, for responses in the middle of the body.
  | { readonly kind: 'cut-after' } // The request takes effect, but its response is lost.
  | { readonly kind: 'slow' } // No response until the client gives up.
  | { readonly kind: 'stall' } // Half of the response, then nothing until the client gives up.
  | { readonly kind: 'trickle'; readonly chunks: number; readonly everyMilliseconds: number } // The response in chunks.
  | { readonly kind: 'damage' }; // One byte of the response is wrong.

interface S3Request {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  /** Access key of the signature; empty if the request is not signed. */
  readonly accessKeyId: string;
}

export interface S3Server {
  readonly endpoint: string;
  readonly objects: Map<string, S3Object>;
  /** Multipart uploads that were neither completed nor aborted. */
  readonly uploads: Map<string, Map<number, Buffer>>;
  /** Methods and keys, in order. */
  readonly requests: string[];
  /** Chooses a fault for each request; null: none. */
  fault: ((request: S3Request) => S3Fault | null) | null;
  /** Milliseconds since 1970, for the age of objects. */
  now: () => number;
  settings(changes?: Partial<StoreSettings>): StoreSettings;
  close(): Promise<void>;
}

const BUCKET = 'taktgeber';
const STORE_URL = `s3://${BUCKET}/test`;

/** Environment variables of a machine whose object store is on this server. */
export function storeVariables({ endpoint }: Pick<S3Server, 'endpoint'>) {
  return {
    TAKTGEBER_STORE_URL: STORE_URL,
    TAKTGEBER_STORE_ENDPOINT: endpoint,
    TAKTGEBER_STORE_PATH_STYLE: 'true',
    TAKTGEBER_STORE_ACCESS_KEY_ID: 'key',
    TAKTGEBER_STORE_SECRET_ACCESS_KEY: 'secret',
  };
}

/**
 * An S3 server for tests: path style, entity tags, conditional writes, multipart uploads, SHA-256 checksums, lists in
 * pages of 100. It does not check signatures.
 */
export async function startS3Server(): Promise<S3Server> {
  const state: State = { objects: new Map(), uploads: new Map(), now: () => Date.now() };
  const sockets = new Set<import('node:net').Socket>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const requested = parse(request);
    requests.push(`${requested.method} ${requested.key || `?${requested.query}`}`);
    const fault = handle.fault?.(requested) ?? null;
    answer(state, request, response, requested, fault).catch((error: unknown) => {
      response.destroy(error as Error);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const handle: S3Server = {
    endpoint,
    objects: state.objects,
    uploads: state.uploads,
    requests,
    fault: null,
    get now() {
      return state.now;
    },
    set now(now) {
      state.now = now;
    },
    settings: (changes = {}) => ({
      ...{ url: STORE_URL, endpoint, region: 'us-east-1', pathStyle: true, timeoutSeconds: 20 },
      ...{ accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: null, retrySeconds: 5, concurrency: 4 },
      ...changes,
    }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return handle;
}

interface State {
  readonly objects: Map<string, S3Object>;
  readonly uploads: Map<string, Map<number, Buffer>>;
  now: () => number;
}

function parse(request: IncomingMessage): S3Request & { readonly bucket: string } {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/');
  const [, accessKeyId = ''] = /Credential=([^/]+)/.exec(request.headers.authorization ?? '') ?? [];
  return { method: request.method ?? '', bucket, key: rest.join('/'), query: url.searchParams, accessKeyId };
}

async function answer(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
  requested: ReturnType<typeof parse>,
  fault: S3Fault | null,
): Promise<void> {
  const body = await readBody(request);
  if (fault?.kind === 'slow') return;
  if (fault?.kind === 'status') return refuse(response, fault.status, fault.code);
  if (fault?.kind === 'cut' && requested.method !== 'GET') {
    response.destroy();
    return;
  }
  if (requested.bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket');
  const reply = respond(state, request, requested, body);
  if (fault?.kind === 'cut-after') {
    response.destroy();
    return;
  }
  const { status, headers, content } = reply;
  const sent = fault?.kind === 'damage' && content.length > 0 ? damaged(content) : content;
  response.writeHead(status, { ...headers, 'content-length': content.length });
  if (fault?.kind === 'cut') {
    response.write(sent.subarray(0, Math.floor(sent.length / 2)), () => response.destroy());
    return;
  }
  if (fault?.kind === 'stall') {
    response.write(sent.subarray(0, Math.floor(sent.length / 2)));
    return;
  }
  if (fault?.kind === 'trickle') return trickle(response, sent, fault);
  response.end(requested.method === 'HEAD' ? undefined : sent);
}

async function trickle(
  response: ServerResponse,
  content: Buffer,
  { chunks, everyMilliseconds }: { readonly chunks: number; readonly everyMilliseconds: number },
): Promise<void> {
  const size = Math.ceil(content.length / chunks);
  for (let from = 0; from < content.length; from += size) {
    response.write(content.subarray(from, from + size));
    await setTimeout(everyMilliseconds);
  }
  response.end();
}

function damaged(content: Buffer): Buffer {
  const copy = Buffer.from(content);
  copy[Math.floor(copy.length / 2)]! ^= 1;
  return copy;
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly content: Buffer;
}

const reply = (status: number, headers: Record<string, string> = {}, content: Buffer | string = ''): Reply => ({
  status,
  headers,
  content: Buffer.from(content),
});

function problem(status: number, code: string): Reply {
  const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return reply(status, { 'content-type': 'application/xml' }, xml);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const { headers, content } = problem(status, code);
  response.writeHead(status, headers).end(content);
}

function respond(state: State, request: IncomingMessage, requested: S3Request, body: Buffer): Reply {
  const { method, key, query } = requested;
  if (method === 'GET' && key === '') return list(state, query);
  if (method === 'GET' || method === 'HEAD') return read(state, request, key, method === 'HEAD');
  if (method === 'DELETE') {
    if (query.has('uploadId')) state.uploads.delete(query.get('uploadId')!);
    else state.objects.delete(key);
    return reply(204);
  }
  if (method === 'POST' && query.has('uploads')) {
    const id = randomUUID();
    state.uploads.set(id, new Map());
    return reply(200, {}, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }
  if (method === 'POST') return complete(state, request, requested, body);
  if (method === 'PUT')
    return query.has('uploadId') ? storePart(state, request, query, body) : store(state, request, key, body);
  return problem(405, 'MethodNotAllowed');
}

function read({ objects }: State, request: IncomingMessage, key: string, isHead: boolean): Reply {
  const found = objects.get(key);
  if (!found) return isHead ? reply(404) : problem(404, 'NoSuchKey');
  const headers = { etag: found.etag, 'last-modified': new Date(found.modified).toUTCString() };
  if (request.headers['if-none-match'] === found.etag) return reply(304, headers);
  return reply(200, headers, found.bytes);
}

function store(state: State, request: IncomingMessage, key: string, body: Buffer): Reply {
  const lost = checkCondition(state, request, key);
  if (lost) return lost;
  if (!isIntact(request, body)) return problem(400, 'BadDigest');
  const etag = `"${createHash('md5').update(body).digest('hex')}"`;
  state.objects.set(key, { bytes: body, etag, modified: state.now() });
  return reply(200, { etag });
}

function storePart(state: State, request: IncomingMessage, query: URLSearchParams, body: Buffer): Reply {
  const parts = state.uploads.get(query.get('uploadId')!);
  if (!parts) return problem(404, 'NoSuchUpload');
  if (!isIntact(request, body)) return problem(400, 'BadDigest');
  parts.set(Number(query.get('partNumber')), body);
  return reply(200, { etag: `"${createHash('md5').update(body).digest('hex')}"` });
}

function complete(state: State, request: IncomingMessage, { key, query }: S3Request, body: Buffer): Reply {
  const id = query.get('uploadId') ?? '';
  const parts = state.uploads.get(id);
  if (!parts) return problem(404, 'NoSuchUpload');
  const lost = checkCondition(state, request, key);
  if (lost) return lost;
  const named = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    checksum: /<ChecksumSHA256>([^<]+)</.exec(part)?.[1],
  }));
  for (const { number, checksum } of named) {
    const part = parts.get(number);
    if (!part || createHash('sha256').update(part).digest('base64') !== checksum) return problem(400, 'InvalidPart');
  }
  const bytes = Buffer.concat(named.map(({ number }) => parts.get(number)!));
  const etag = `"${createHash('md5').update(bytes).digest('hex')}-${named.length}"`;
  state.uploads.delete(id);
  state.objects.set(key, { bytes, etag, modified: state.now() });
  return reply(200, {}, `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`);
}

function checkCondition({ objects }: State, request: IncomingMessage, key: string): Reply | null {
  const { 'if-match': match, 'if-none-match': noneMatch } = request.headers;
  const found = objects.get(key);
  if (noneMatch === '*' && found) return problem(412, 'PreconditionFailed');
  if (match !== undefined && !found) return problem(404, 'NoSuchKey');
  return match !== undefined && found?.etag !== match ? problem(412, 'PreconditionFailed') : null;
}

function isIntact(request: IncomingMessage, body: Buffer): boolean {
  const checksum = request.headers['x-amz-checksum-sha256'];
  return checksum === undefined || checksum === createHash('sha256').update(body).digest('base64');
}

const PAGE = 100;

function list({ objects }: State, query: URLSearchParams): Reply {
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after).sort();
  const page = keys.slice(0, PAGE);
  const contents = page.map((key) => {
    const { bytes, etag, modified } = objects.get(key)!;
    const facts = `<Size>${bytes.length}</Size><ETag>${etag}</ETag><LastModified>${new Date(modified).toISOString()}</LastModified>`;
    return `<Contents><Key>${key}</Key>${facts}</Contents>`;
  });
  const isTruncated = keys.length > PAGE;
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return reply(
    200,
    { 'content-type': 'application/xml' },
    `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
