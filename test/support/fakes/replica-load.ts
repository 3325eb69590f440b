import { createHash } from 'node:crypto';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** One request of a load. */
export interface LoadRequest {
  readonly path: string;
  /** Sent by POST as JSON. */
  readonly body?: object;
  /** Texts to search for in each response. */
  readonly searchedTexts?: readonly string[];
}

export interface LoadAnswer {
  readonly path: string;
  /** 0: the connection failed, or the response was incomplete. */
  readonly status: number;
  /** The pair of snapshots in the header of the response; null without it. */
  readonly dataVersion: string | null;
  readonly entityTag: string | null;
  /** Hash of the bytes. */
  readonly hash: string;
  /** Searched texts that were found. */
  readonly foundTexts: readonly string[];
  /** The beginning of a response other than 200, or empty. */
  readonly failure: string;
  /** Time of the request, and its duration. */
  readonly at: number;
  readonly milliseconds: number;
}

const FAILURE_BYTES = 300;

/** Sends one request. */
export function requestOnce(
  origin: string,
  { path, body, searchedTexts = [] }: LoadRequest,
  agent?: http.Agent,
): Promise<LoadAnswer> {
  const at = performance.now();
  return new Promise((resolve) => {
    const finish = (status: number, headers: http.IncomingHttpHeaders = {}, bytes = Buffer.alloc(0)) =>
      resolve({
        path,
        status,
        dataVersion: (headers['data-version'] as string | undefined) ?? null,
        entityTag: headers.etag ?? null,
        hash: createHash('sha256').update(bytes).digest('hex'),
        foundTexts: searchedTexts.filter((text) => bytes.includes(text)),
        failure: status === 200 ? '' : bytes.toString('utf8', 0, FAILURE_BYTES),
        at,
        milliseconds: performance.now() - at,
      });
    const method = body ? 'POST' : 'GET';
    const request = http.request(origin + path, { method, agent, headers: { 'content-type': 'application/json' } });
    request.on('error', () => finish(0));
    request.on('response', async (answer) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        finish(answer.statusCode!, answer.headers, Buffer.concat(chunks));
      } catch {
        finish(0);
      }
    });
    request.end(body && JSON.stringify(body));
  });
}

/** Between two requests of a connection. */
const PAUSE_MILLISECONDS = 4;

/** Sends requests over keep-alive connections, each in a different order, until it is stopped. */
export function startLoad(origin: string, requests: readonly LoadRequest[], connections: number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const answers: LoadAnswer[] = [];
  let isStopped = false;
  const clients = Array.from({ length: connections }, async (_, first) => {
    for (let i = first; !isStopped; i++) {
      answers.push(await requestOnce(origin, requests[i % requests.length]!, agent));
      await wait(PAUSE_MILLISECONDS);
    }
  });
  return {
    answers: answers as readonly LoadAnswer[],
    /** Waits for this many further responses. */
    async more(count: number): Promise<void> {
      const wanted = answers.length + count;
      while (answers.length < wanted) await wait(10);
    },
    async stop(): Promise<readonly LoadAnswer[]> {
      isStopped = true;
      await Promise.all(clients);
      agent.destroy();
      return answers;
    },
  };
}
