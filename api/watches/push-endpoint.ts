import { ECDH } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { Delivery } from '../contract/definitions.ts';
import { ApiProblem } from '../contract/problems.ts';
import type { PushTarget } from './outbox.ts';

/** @returns whether events may be pushed to an endpoint, by its text alone; its address is checked when sending */
export type IsEndpointAllowed = (endpoint: string) => boolean;

/** Settings of endpoints. */
export interface EndpointRules {
  /** Names of hosts, comma-separated; one with a leading `*.` stands for any name below. */
  readonly pushHosts: string;
  /** For tests: endpoints on this machine are allowed as well, over http and at any port. */
  readonly allowLoopbackPushes: boolean;
}

export function allowEndpoints({ pushHosts, allowLoopbackPushes }: EndpointRules): IsEndpointAllowed {
  const names = pushHosts.split(',').map((name) => name.trim().toLowerCase());
  return (endpoint) => {
    if (!URL.canParse(endpoint)) return false;
    const url = new URL(endpoint);
    const { protocol, hostname, port, username, password } = url;
    if (username !== '' || password !== '') return false;
    if (isLoopbackEndpoint(url)) return allowLoopbackPushes;
    if (protocol !== 'https:' || port !== '') return false;
    return names.some((name) => (name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : hostname === name));
  };
}

/** Whether it is the endpoint of a test: http to this machine. */
export function isLoopbackEndpoint({ protocol, hostname }: URL): boolean {
  if (protocol !== 'http:') return false;
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
}

const SUBSCRIPTION = '/delivery/subscription';
const AUTH_BYTES = 16;
const CURVE = 'prime256v1';

/**
 * Where the events of a watch are pushed to; null where they are polled.
 * @throws ApiProblem `invalid_body` for an endpoint that is not allowed, and for keys that nothing can be encrypted with
 */
export function readDelivery(delivery: Delivery, isAllowed: IsEndpointAllowed): PushTarget | null {
  if (delivery.kind === 'poll') return null;
  const { endpoint, keys } = delivery.subscription;
  if (!isAllowed(endpoint)) {
    const detail = 'Events are only pushed over https, to port 443 of the known push services.';
    throw new ApiProblem('invalid_body', detail, `${SUBSCRIPTION}/endpoint`);
  }
  if (!isPublicKey(keys.p256dh)) {
    throw new ApiProblem('invalid_body', 'This is not a public key of the curve P-256.', `${SUBSCRIPTION}/keys/p256dh`);
  }
  if (Buffer.from(keys.auth, 'base64url').length !== AUTH_BYTES) {
    throw new ApiProblem('invalid_body', 'The shared secret must have 16 bytes.', `${SUBSCRIPTION}/keys/auth`);
  }
  return { endpoint, ...keys };
}

/** An uncompressed point of the curve. */
function isPublicKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, CURVE);
    return true;
  } catch {
    return false;
  }
}
