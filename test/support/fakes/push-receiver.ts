import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decryptPush, type SubscriptionSecrets, verifyVapid } from './push-protocol.ts';

/** The `subscription` of a delivery, as the Push API of browsers returns it. */
export interface PushSubscription {
  readonly endpoint: string;
  readonly expirationTime: null;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** Answer of the receiver to a valid push: a status, none, or a closed connection. */
export type ScriptedAnswer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'hang'
  | 'close';

/** A push that a real push service would have accepted, decrypted. */
export interface ReceivedPush {
  /** Endpoint of its subscription. */
  readonly endpoint: string;
  /** Decrypted and parsed; Taktgeber sends `{watchId, event}`. */
  readonly message: unknown;
  readonly ttlSeconds: number;
  readonly urgency: string;
  readonly topic: string | null;
  readonly contact: string;
  /** How it was answered. */
  readonly answer: ScriptedAnswer;
  /** Time of receipt; milliseconds of `performance.now()`. */
  readonly at: number;
  /** Time of the answer; null before it, or if the sender disconnected. */
  readonly answeredAt: number | null;
}

export interface PushReceiver {
  /** Origin of the push service. */
  readonly url: string;
  /** Creates a subscription that, as in browsers, belongs to the sender with this key (base64url). */
  subscribe(senderKey: string): PushSubscription;
  /** Later pushes to it are answered by 410. */
  unsubscribe(subscription: PushSubscription): void;
  /** Answers to the next pushes, in this order; after them and by default 201. */
  answerNext(...answers: readonly ScriptedAnswer[]): void;
  /** Delays later answers, like a busy push service. By default there is no delay. */
  answerAfter(milliseconds: number): void;
  /** All valid pushes in order of arrival, including those not answered by 201. */
  readonly received: readonly ReceivedPush[];
  /** Faults of other requests. A test expects none. */
  readonly faults: readonly string[];
  /** Waits until this many pushes have been received. @returns all of them */
  waitFor(count: number): Promise<readonly ReceivedPush[]>;
  close(): Promise<void>;
}

interface Subscribed extends SubscriptionSecrets {
  readonly senderKey: string;
  readonly isOver: boolean;
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** A request and its push; null if it is refused. */
interface Taken {
  readonly answer: ScriptedAnswer;
  readonly push: Writable<ReceivedPush> | null;
}

/**
 * Starts a push service on loopback, with browsers that subscribe to it: it refuses what a real one refuses and
 * decrypts what it accepts.
 */
export async function openPushReceiver(): Promise<PushReceiver> {
  const subscriptions = new Map<string, Subscribed>();
  const received: Writable<ReceivedPush>[] = [];
  const faults: string[] = [];
  const script: ScriptedAnswer[] = [];
  const waiting = new Set<() => void>();
  let answerMilliseconds = 0;
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        const { answer, push } = take(request, body);
        const reply = () => {
          if (push && typeof answer === 'object' && !response.destroyed) push.answeredAt = performance.now();
          send(response, answer);
        };
        if (answerMilliseconds === 0) reply();
        else setTimeout(reply, answerMilliseconds);
      },
      // The sender has disconnected.
      () => response.destroy(),
    );
  });
  const take = (request: IncomingMessage, body: Buffer): Taken => {
    const subscribed = subscriptions.get(request.url!);
    if (!subscribed) return { answer: { status: 404 }, push: null };
    if (subscribed.isOver) return { answer: { status: 410 }, push: null };
    try {
      const facts = readPush(request, body, subscribed, url);
      const answer = script.shift() ?? { status: 201 };
      const push = { ...facts, endpoint: url + request.url!, answer, at: performance.now(), answeredAt: null };
      received.push(push);
      for (const check of waiting) check();
      return { answer, push };
    } catch (error) {
      faults.push((error as Error).message);
      return { answer: { status: 400 }, push: null };
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
    answerAfter(milliseconds) {
      answerMilliseconds = milliseconds;
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

/** @throws Error naming what a push service would refuse */
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
