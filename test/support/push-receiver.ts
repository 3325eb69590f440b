import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decryptPush, type SubscriptionSecrets, verifyVapid } from './push-protocol.ts';

/** As the Push API of a browser gives it to an app: the `subscription` of a delivery. */
export interface PushSubscription {
  readonly endpoint: string;
  readonly expirationTime: null;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** How the receiver answers a valid push: with a status, not at all, or by ending the connection. */
export type ScriptedAnswer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'hang'
  | 'close';

/** A push that a real push service would have accepted, decrypted. */
export interface ReceivedPush {
  /** Of its subscription. */
  readonly endpoint: string;
  /** Decrypted and parsed; of Taktgeber `{watchId, event}`. */
  readonly message: unknown;
  readonly ttlSeconds: number;
  readonly urgency: string;
  readonly topic: string | null;
  readonly contact: string;
  /** How it was answered. */
  readonly answer: ScriptedAnswer;
}

export interface PushReceiver {
  /** Origin of the push service. */
  readonly url: string;
  /** Makes a subscription that, as in browsers, belongs to the sender with this key (base64url). */
  subscribe(senderKey: string): PushSubscription;
  /** From then on pushes to it are 410. */
  unsubscribe(subscription: PushSubscription): void;
  /** Answers of the next pushes, in this order; then and by default 201. */
  answerNext(...answers: readonly ScriptedAnswer[]): void;
  /** All valid pushes, in the order in which they arrived, those that were not answered by 201 included. */
  readonly received: readonly ReceivedPush[];
  /** What was wrong with other requests. A test expects none. */
  readonly faults: readonly string[];
  /** Waits until so many pushes have been received. @returns all of them */
  waitFor(count: number): Promise<readonly ReceivedPush[]>;
  close(): Promise<void>;
}

interface Subscribed extends SubscriptionSecrets {
  readonly senderKey: string;
  readonly isOver: boolean;
}

/**
 * Starts a push service on loopback, with the browsers that subscribe to it: it refuses what a real one refuses and
 * decrypts what it accepts.
 */
export async function openPushReceiver(): Promise<PushReceiver> {
  const subscriptions = new Map<string, Subscribed>();
  const received: ReceivedPush[] = [];
  const faults: string[] = [];
  const script: ScriptedAnswer[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => send(response, take(request, body)),
      // The sender has gone.
      () => response.destroy(),
    );
  });
  const take = (request: IncomingMessage, body: Buffer): ScriptedAnswer => {
    const subscribed = subscriptions.get(request.url!);
    if (!subscribed) return { status: 404 };
    if (subscribed.isOver) return { status: 410 };
    try {
      const push = readPush(request, body, subscribed, url);
      const answer = script.shift() ?? { status: 201 };
      received.push({ ...push, endpoint: url + request.url!, answer });
      for (const check of waiting) check();
      return answer;
    } catch (error) {
      faults.push((error as Error).message);
      return { status: 400 };
    }
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    received,
    faults,
    subscribe(senderKey) {
      const path = `/push/${randomBytes(12).toString('base64url')}`;
      const curve = createECDH('prime256v1');
      const p256dh = curve.generateKeys('base64url');
      const auth = randomBytes(16);
      subscriptions.set(path, { curve, auth, senderKey, isOver: false });
      return { endpoint: url + path, expirationTime: null, keys: { p256dh, auth: auth.toString('base64url') } };
    },
    unsubscribe({ endpoint }) {
      const { pathname } = new URL(endpoint);
      subscriptions.set(pathname, { ...subscriptions.get(pathname)!, isOver: true });
    },
    answerNext(...answers) {
      script.push(...answers);
    },
    waitFor: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve(received);
        };
        waiting.add(check);
        check();
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @throws Error that names what a push service would refuse */
function readPush(request: IncomingMessage, body: Buffer, subscribed: Subscribed, url: string) {
  const { method, headers } = request;
  if (method !== 'POST') throw new Error(`the method ${method}`);
  if (headers['content-encoding'] !== 'aes128gcm') throw new Error(`the encoding ${headers['content-encoding']}`);
  if (!/^\d+$/.test(String(headers.ttl))) throw new Error(`the time to live ${headers.ttl}`);
  const urgency = String(headers.urgency);
  if (!['very-low', 'low', 'normal', 'high'].includes(urgency)) throw new Error(`the urgency ${urgency}`);
  const { contact, key } = verifyVapid(headers.authorization ?? '', url, Date.now() / 1000);
  if (key !== subscribed.senderKey) throw new Error('the key of another sender');
  const topic = (headers.topic as string | undefined) ?? null;
  const message: unknown = JSON.parse(decryptPush(body, subscribed));
  return { message, ttlSeconds: Number(headers.ttl), urgency, topic, contact };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, answer: ScriptedAnswer): void {
  if (answer === 'hang') return;
  if (answer === 'close') return void response.destroy();
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
