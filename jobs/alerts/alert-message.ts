import { hostname } from 'node:os';
import type { Config } from '../../pipeline/config/load-config.ts';
import { type Deliver, deliverToCommand, deliverToWebhook } from '../../pipeline/effects/deliver-json.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { retry } from '../../pipeline/effects/retry.ts';
import { HALF_JITTER, type RetryPolicy } from '../../pipeline/model/retry-policy.ts';
import type { Notification } from './decide-notifications.ts';

/** JSON that the command and the webhook receive, documented in docs/operations.md. Times are ISO 8601, UTC. */
interface AlertMessage {
  readonly version: 2;
  readonly event: Notification['event'] | 'test';
  readonly kind: Notification['alert']['kind'] | 'test';
  readonly subject: string;
  readonly text: string;
  readonly remedy: string | null;
  readonly since: string;
  readonly at: string;
  readonly host: string;
  readonly dataDir: string;
}

const webhookDelivery: RetryPolicy = {
  firstWaitMilliseconds: 1000,
  factor: 4,
  maxWaitMilliseconds: 4000,
  jitter: HALF_JITTER,
  maxAttempts: 3,
};

/** The configured command and webhook. */
export function listDeliveries({ alerts }: Config, { sleep }: Pick<Effects, 'sleep'>): Deliver[] {
  const { command, webhook, timeoutSeconds } = alerts;
  return [
    ...(command === null ? [] : [deliverToCommand(command, timeoutSeconds)]),
    ...(webhook === null ? [] : [withRetries(deliverToWebhook(webhook, timeoutSeconds), sleep)]),
  ];
}

function withRetries(deliver: Deliver, sleep: Effects['sleep']): Deliver {
  return (json) => retry(webhookDelivery, () => deliver(json), { sleep });
}

export function describeNotification({ event, alert }: Notification): string {
  if (event === 'resolved') return `Resolved. It was: ${alert.text}`;
  return event === 'reminder' ? `Still firing: ${alert.text}` : alert.text;
}

/** @param now milliseconds since 1970 */
export function toMessage(notification: Notification, now: number, dataDir: string): AlertMessage {
  const { event, alert } = notification;
  return {
    version: 2,
    event,
    kind: alert.kind,
    subject: alert.subject,
    text: describeNotification(notification),
    remedy: event === 'resolved' ? null : alert.remedy,
    since: new Date(alert.activeSince).toISOString(),
    at: new Date(now).toISOString(),
    host: hostname(),
    dataDir,
  };
}

/** Shows an operator that alerts arrive. */
export function testMessage(now: number, dataDir: string): AlertMessage {
  const at = new Date(now).toISOString();
  return {
    version: 2,
    event: 'test',
    kind: 'test',
    subject: 'test',
    text: 'This is a test. No alert is firing.',
    remedy: null,
    since: at,
    at,
    host: hostname(),
    dataDir,
  };
}
