import { hostname } from 'node:os';
import path from 'node:path';
import type { Config } from '../../pipeline/config/load-config.ts';
import { type Deliver, deliverToCommand, deliverToWebhook, withRetries } from '../../pipeline/effects/deliver-json.ts';
import { findJson, writeJsonAtomically } from '../../pipeline/effects/files.ts';
import { isOfTheSystem, WorldError } from '../../pipeline/effects/world-error.ts';
import { describeError } from '../exit-code.ts';
import type { Job } from '../job.ts';
import { acquireLocks } from '../job-lock.ts';
import type { MonitoredEffects } from '../monitoring/open-monitoring.ts';
import { readServiceFacts } from '../monitoring/service-facts.ts';
import { judgePromises, promiseKinds } from './broken-promises.ts';
import { type Alert, type AlertMemory, decideAlerts, forgetAlert, nameKey } from './decide-alerts.ts';

interface AlertingRequest {
  readonly config: Config;
  readonly jobs: readonly Job[];
  /** Whether this process runs the jobs at their times. */
  readonly isScheduling: boolean;
  readonly effects: MonitoredEffects;
  readonly signal: AbortSignal;
}

const ROUND_MILLISECONDS = 60_000;
const RETRY_WAITS_MILLISECONDS: readonly number[] = [1000, 4000];

/** Held while alerts are decided, so that of several processes on a data folder one alone tells. */
const SEND_ALERTS = 'send-alerts';

/**
 * Tells the operator, once a minute, which promises are broken and which are kept again: by the log, and by the command
 * and the webhook of the configuration. Whatever fails is told the next time. Ends with the signal.
 */
export async function keepAlerting({ signal, ...watched }: AlertingRequest): Promise<void> {
  const { config, effects } = watched;
  const alerter = createAlerter({ ...watched, deliveries: listDeliveries(config, effects) });
  while (!signal.aborted) {
    await effects.sleep(ROUND_MILLISECONDS, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    if (!signal.aborted) await alerter.round();
  }
}

function listDeliveries({ alerts }: Config, { sleep }: MonitoredEffects): Deliver[] {
  const { command, webhook, timeoutSeconds } = alerts;
  return [
    ...(command === null ? [] : [deliverToCommand(command, timeoutSeconds)]),
    ...(webhook === null
      ? []
      : [withRetries(deliverToWebhook(webhook, timeoutSeconds), RETRY_WAITS_MILLISECONDS, sleep)]),
  ];
}

interface AlerterOptions extends Omit<AlertingRequest, 'signal'> {
  readonly deliveries: readonly Deliver[];
}

/** @returns `round` looks once and tells; it never rejects */
export function createAlerter(options: AlerterOptions): { round(): Promise<void> } {
  const { config, effects } = options;
  const file = path.join(config.dataDir, 'state', 'alerts', 'memory.json');
  const tell = createTeller(options);
  /** Newer than the file while the disk is full. */
  let unsaved: AlertMemory | null = null;
  let lastTrouble = '';
  const round = async () => {
    const before = unsaved ?? (await findJson<AlertMemory>(file)) ?? {};
    const facts = await readServiceFacts({ ...options, clock: effects.clock });
    const { alerts, timetable } = config;
    const judgement = judgePromises(facts, { ...alerts, timetableMaxAgeHours: timetable.maxAgeHours });
    showBroken(effects, judgement.broken);
    const now = facts.nowMilliseconds;
    const decided = decideAlerts(judgement, before, { now, reminderMilliseconds: alerts.reminderHours * 3_600_000 });
    let { memory } = decided;
    for (const alert of decided.alerts) {
      if (!(await tell(alert, now))) memory = forgetAlert(memory, before, alert);
    }
    if (unsaved === null && JSON.stringify(memory) === JSON.stringify(before)) return;
    unsaved = memory;
    await writeJsonAtomically(file, memory);
    unsaved = null;
  };
  return {
    async round() {
      try {
        const lock = await acquireAlertLock(options);
        await round().finally(() => lock?.release());
        lastTrouble = '';
      } catch (error) {
        // Another process on this folder tells.
        if (error instanceof WorldError && error.code === 'job_running') return;
        const { sentence, isBug } = describeError(error);
        const trouble = isBug ? ((error as Error).stack ?? sentence) : sentence;
        if (trouble !== lastTrouble) effects.log.warn(`alerts: ${trouble}`);
        lastTrouble = trouble;
      }
    },
  };
}

/** @returns null where the disk refuses a lock: an alert about a full disk is worth being told twice */
async function acquireAlertLock({ config, effects }: AlerterOptions) {
  return acquireLocks(config.dataDir, SEND_ALERTS, [SEND_ALERTS], effects.clock).catch((error: unknown) => {
    if (isOfTheSystem(error)) return null;
    throw error;
  });
}

function showBroken({ metrics }: MonitoredEffects, broken: readonly { readonly kind: string }[]): void {
  metrics.gauges.promiseBroken.replace(
    promiseKinds.map((kind) => ({ labels: { kind }, value: broken.filter((one) => one.kind === kind).length })),
  );
}

/**
 * Passes alerts to the log, once each, and to command and webhook.
 * @returns a function that returns whether one of the two has taken the alert, or there is none
 */
function createTeller({
  config,
  effects,
  deliveries,
}: AlerterOptions): (alert: Alert, now: number) => Promise<boolean> {
  const { log, metrics } = effects;
  /** Texts that were logged, and are still to be delivered. */
  const logged = new Set<string>();
  let lastFailure = '';
  return async (alert, now) => {
    const { event, promise } = alert;
    const text = describeEvent(alert);
    const key = `${event} ${nameKey(promise)}`;
    if (!logged.has(key)) {
      if (event === 'kept') log.info(`alert: ${text}`);
      else log.warn(`alert: ${text} ${promise.remedy}`);
    }
    const json = JSON.stringify(toMessage(alert, now, config.dataDir));
    const results = await Promise.allSettled(deliveries.map((deliver) => deliver(json)));
    for (const result of results) {
      metrics.counters.alertsSent.add({ outcome: result.status === 'fulfilled' ? 'delivered' : 'failed' });
      if (result.status === 'fulfilled') continue;
      const failure = (result.reason as Error).message;
      if (failure !== lastFailure) log.warn(`alerts cannot be delivered, and are tried again: ${failure}`);
      lastFailure = failure;
    }
    const isDelivered = results.length === 0 || results.some(({ status }) => status === 'fulfilled');
    if (isDelivered) logged.delete(key);
    else logged.add(key);
    if (results.every(({ status }) => status === 'fulfilled')) lastFailure = '';
    return isDelivered;
  };
}

function describeEvent({ event, promise }: Alert): string {
  if (event === 'kept') return `It is well again. Before: ${promise.text}`;
  return event === 'reminder' ? `Still: ${promise.text}` : promise.text;
}

/** What command and webhook get; its shape is documented in docs/operations.md. */
function toMessage(alert: Alert, now: number, dataDir: string) {
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
