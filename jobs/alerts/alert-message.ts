import { hostname } from 'node:os';
import type { Config } from '../../pipeline/config/load-config.ts';
import { type Deliver, deliverToCommand, deliverToWebhook, withRetries } from '../../pipeline/effects/deliver-json.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import type { Alert } from './decide-alerts.ts';

/** What command and webhook get; its shape is documented in docs/operations.md. Times are ISO 8601, UTC. */
interface AlertMessage {
  readonly version: 1;
  readonly event: Alert['event'] | 'test';
  readonly kind: Alert['promise']['kind'] | 'test';
  readonly subject: string;
  readonly text: string;
  readonly remedy: string | null;
  readonly since: string;
  readonly at: string;
  readonly host: string;
  readonly dataDir: string;
}

const RETRY_WAITS_MILLISECONDS: readonly number[] = [1000, 4000];

/** The configured ways to the operator. */
export function listDeliveries({ alerts }: Config, { sleep }: Pick<Effects, 'sleep'>): Deliver[] {
  const { command, webhook, timeoutSeconds } = alerts;
  return [
    ...(command === null ? [] : [deliverToCommand(command, timeoutSeconds)]),
    ...(webhook === null
      ? []
      : [withRetries(deliverToWebhook(webhook, timeoutSeconds), RETRY_WAITS_MILLISECONDS, sleep)]),
  ];
}

export function describeEvent({ event, promise }: Alert): string {
  if (event === 'kept') return `It is well again. Before: ${promise.text}`;
  return event === 'reminder' ? `Still: ${promise.text}` : promise.text;
}

/** @param now milliseconds since 1970 */
export function toMessage(alert: Alert, now: number, dataDir: string): AlertMessage {
  const { event, promise } = alert;
  return {
    version: 1,
    event,
    kind: promise.kind,
    subject: promise.subject,
    text: describeEvent(alert),
    remedy: event === 'kept' ? null : promise.remedy,
    since: new Date(promise.brokenSince).toISOString(),
    at: new Date(now).toISOString(),
    host: hostname(),
    dataDir,
  };
}

/** An alert about nothing, by which an operator sees that alerts arrive. */
export function testMessage(now: number, dataDir: string): AlertMessage {
  const at = new Date(now).toISOString();
  return {
    version: 1,
    event: 'test',
    kind: 'test',
    subject: 'test',
    text: 'This is a test: nothing is broken.',
    remedy: null,
    since: at,
    at,
    host: hostname(),
    dataDir,
  };
}
