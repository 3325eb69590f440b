import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { pinLookup, type ResolveHost } from '../../pipeline/effects/pinned-lookup.ts';
import { isLoopbackAddress, isPublicAddress } from '../../pipeline/effects/public-addresses.ts';
import { isLoopbackEndpoint } from '../watches/push-endpoint.ts';

/** Only the status is used. A longer response is discarded with its connection. */
const MAX_ANSWER_BYTES = 4096;
const MAX_HEADER_BYTES = 8192;
/** Timeout of an idle connection. */
const IDLE_MILLISECONDS = 30_000;

interface PushMessage {
  /** Allowed by its text. */
  readonly endpoint: URL;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Encrypted. */
  readonly body: Buffer;
  /** Called on the open connection, immediately before the message is written. */
  mayBeSent(): boolean;
}

export interface PushAnswer {
  readonly status: number;
  /** The unparsed header; null if absent. */
  readonly retryAfter: string | null;
}

/** Connections to push services, kept between messages. */
interface PushConnections {
  /**
   * Sends one message to an address of the public network; follows no redirect.
   * @throws ExternalError `push_address_refused`, `push_timeout`, `push_claim_over`; the system error of the connection
   */
  post(message: PushMessage): Promise<PushAnswer>;
  /** Ends all connections; messages under way fail. */
  close(): void;
}

/**
 * @param limitMilliseconds of one message, from the resolution of the name to the end of the answer
 * @param isPublic tests have no public address
 */
export function openConnections(
  resolve: ResolveHost,
  limitMilliseconds: number,
  isPublic = isPublicAddress,
): PushConnections {
  const agentOptions = { keepAlive: true, timeout: IDLE_MILLISECONDS };
  const toPublic = { client: https, agent: new https.Agent(agentOptions), isAllowed: isPublic };
  const toLoopback = { client: http, agent: new http.Agent(agentOptions), isAllowed: isLoopbackAddress };
  return {
    async post({ endpoint, headers, body, mayBeSent }) {
      const { client, agent, isAllowed } = isLoopbackEndpoint(endpoint) ? toLoopback : toPublic;
      // A literal address needs no lookup.
      const host = endpoint.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isAllowed(host)) throw refuseAddress(host);
      const options = { method: 'POST', agent, headers, lookup: pinLookup(resolve, isAllowed, refuseAddress) };
      const request = client.request(endpoint, { ...options, maxHeaderSize: MAX_HEADER_BYTES });
      whenConnected(request, isLoopbackEndpoint(endpoint) ? 'connect' : 'secureConnect', () => {
        if (mayBeSent()) request.end(body);
        else request.destroy(new ExternalError('push_claim_over', 'another replica may have sent it'));
      });
      return finish(request, limitMilliseconds);
    },
    close() {
      toPublic.agent.destroy();
      toLoopback.agent.destroy();
    },
  };
}

/** All addresses of a host are disallowed. */
function refuseAddress(hostname: string): ExternalError {
  return new ExternalError('push_address_refused', `${hostname} has no public address`);
}

/** @param opened event of a new connection; a kept one is open */
function whenConnected(request: ClientRequest, opened: 'connect' | 'secureConnect', act: () => void): void {
  request.once('socket', (socket) => {
    if (request.reusedSocket) act();
    else socket.once(opened, act);
  });
}

function finish(request: ClientRequest, limitMilliseconds: number): Promise<PushAnswer> {
  return new Promise((resolve, reject) => {
    let answer: PushAnswer | null = null;
    let failure: Error = new ExternalError('push_cut_off', 'the push service has ended the connection');
    const timeout = setTimeout(() => {
      request.destroy(new ExternalError('push_timeout', 'the push service does not answer'));
    }, limitMilliseconds);
    request.on('error', (error) => {
      failure = error;
    });
    request.on('response', (response) => {
      answer = { status: response.statusCode!, retryAfter: response.headers['retry-after'] ?? null };
      drain(response);
    });
    request.on('close', () => {
      clearTimeout(timeout);
      // A status is the outcome, even if the rest of the response is missing.
      if (answer) resolve(answer);
      else reject(failure);
    });
  });
}

/** Reads the rest, so that the connection can be reused. */
function drain(response: IncomingMessage): void {
  let bytes = 0;
  // Without a listener, the error of the discarded rest would end the process.
  response.on('error', () => {});
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
}
