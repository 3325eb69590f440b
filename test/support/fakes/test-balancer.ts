import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Backend {
  readonly name: string;
  /** Origin of the API. */
  readonly url: string;
  /** Answers 200 while the backend accepts requests. */
  readonly readyUrl: string;
}

interface TestBalancer {
  readonly url: string;
  /** Number of forwarded responses, by backend. */
  readonly answered: ReadonlyMap<string, number>;
  /** Number of requests that were sent to another backend because a connection failed. */
  readonly retries: number;
  /** Waits until the health checks report this state. */
  waitFor(name: string, isUp: boolean): Promise<void>;
  close(): Promise<void>;
}

const CHECK_MILLISECONDS = 100;
const CHECK_TIMEOUT_MILLISECONDS = 500;
const MAX_ATTEMPTS = 3;

/**
 * A load balancer that behaves like HAProxy with `deploy/haproxy.cfg`: round robin over the ready backends; a request
 * whose connection fails before the first byte of the response is sent to the next one.
 */
export async function openTestBalancer(backends: readonly Backend[]): Promise<TestBalancer> {
  const up = new Set<string>();
  const answered = new Map<string, number>();
  const agent = new http.Agent({ keepAlive: true });
  let [turn, retries] = [0, 0];
  const choose = (tried: ReadonlySet<Backend>): Backend | null => {
    const untried = backends.filter((backend) => !tried.has(backend));
    const ready = untried.filter(({ name }) => up.has(name));
    // If none is ready, the others are tried before refusing the request.
    const choice = ready.length > 0 ? ready : untried;
    return choice[turn++ % Math.max(choice.length, 1)] ?? null;
  };
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const tried = new Set<Backend>();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const backend = choose(tried);
      if (!backend) break;
      tried.add(backend);
      if (attempt > 0) retries += 1;
      if (await forward(request, Buffer.concat(chunks), { backend, agent, response })) {
        answered.set(backend.name, (answered.get(backend.name) ?? 0) + 1);
        return;
      }
    }
    response.writeHead(502).end();
  });
  const checking = setInterval(() => {
    for (const { name, readyUrl } of backends) {
      fetch(readyUrl, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MILLISECONDS) }).then(
        ({ status }) => void (status === 200 ? up.add(name) : up.delete(name)),
        () => void up.delete(name),
      );
    }
  }, CHECK_MILLISECONDS);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    get retries() {
      return retries;
    },
    async waitFor(name, isUp) {
      while (up.has(name) !== isUp) await new Promise((resolve) => setTimeout(resolve, CHECK_MILLISECONDS / 4));
    },
    async close() {
      clearInterval(checking);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Way {
  readonly backend: Backend;
  readonly agent: http.Agent;
  readonly response: http.ServerResponse;
}

/** @returns false if the connection failed before a response began */
function forward(request: http.IncomingMessage, body: Buffer, { backend, agent, response }: Way): Promise<boolean> {
  return new Promise((resolve) => {
    const { method, headers, url } = request;
    const upstream = http.request(backend.url + url, { method, headers, agent });
    upstream.on('error', () => resolve(false));
    upstream.on('response', (answer) => {
      const { connection: _, 'keep-alive': __, ...passed } = answer.headers;
      response.writeHead(answer.statusCode!, passed);
      answer.pipe(response);
      // An incomplete response is incomplete for the client as well.
      answer.on('error', () => response.destroy());
      resolve(true);
    });
    upstream.end(body);
  });
}
