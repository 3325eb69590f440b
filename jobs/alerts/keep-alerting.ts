import type { Config } from '../../pipeline/config/load-config.ts';
import type { Deliver } from '../../pipeline/effects/deliver-json.ts';
import { ExternalError, isOfTheSystem } from '../../pipeline/effects/external-error.ts';
import { describeError } from '../job/exit-code.ts';
import type { Job } from '../job/job.ts';
import { acquireLocks } from '../locks/job-lock.ts';
import type { MonitoredEffects } from '../monitoring/open-monitoring.ts';
import type { FactsRequest, ServiceFacts } from '../monitoring/service-facts.ts';
import { readAlertMemory, writeAlertMemory } from './alert-memory.ts';
import { describeEvent, listDeliveries, toMessage } from './alert-message.ts';
import { promiseKinds, withoutJobs } from './broken-promises.ts';
import { type Alert, type AlertMemory, decideAlerts, forgetAlert, isFiring, nameKey } from './decide-alerts.ts';
import { type AlertLeader, leadAlerting, SEND_ALERTS } from './lead-alerting.ts';
import { lookAtPromises } from './look-at-promises.ts';

interface AlertingRequest {
  readonly config: Config;
  readonly jobs: readonly Job[];
  /** Whether this process runs the jobs at their times. */
  readonly isScheduling: boolean;
  readonly areFeedsConfigured?: boolean;
  readonly effects: MonitoredEffects;
  readonly signal: AbortSignal;
}

const ROUND_MILLISECONDS = 60_000;

/**
 * Tells the operator, once a minute, which promises are broken and which are kept again: by the log, and by the command
 * and the webhook of the configuration. Whatever fails is told the next time. Ends with the signal.
 */
export async function keepAlerting({ signal, ...watched }: AlertingRequest): Promise<void> {
  const { config, effects } = watched;
  const { findLeader, ended } = leadAlerting({ ...watched, signal });
  const alerter = createAlerter({ ...watched, findLeader, deliveries: listDeliveries(config, effects) });
  while (!signal.aborted) {
    await effects.sleep(ROUND_MILLISECONDS, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    if (!signal.aborted) await alerter.round();
  }
  await ended;
}

interface AlerterOptions extends Omit<AlertingRequest, 'signal'> {
  /** How the service does; tests pass their own. */
  readonly readFacts?: (request: FactsRequest) => Promise<ServiceFacts>;
  readonly deliveries: readonly Deliver[];
  readonly findLeader: () => AlertLeader;
}

/** @returns `round` looks once and tells; it never rejects */
export function createAlerter(options: AlerterOptions): { round(): Promise<void> } {
  const { config, effects } = options;
  const tell = createTeller(options);
  /** Newer than the file while the disk is full. */
  let unsaved: AlertMemory | null = null;
  let lastTrouble = '';
  const round = async () => {
    const before = unsaved ?? (await readAlertMemory(config.dataDir));
    const look = await lookAtPromises({ ...options, clock: effects.clock }, options.readFacts);
    const leader = options.findLeader();
    const judgement = leader === 'this' ? look : withoutJobs(look, leader === 'another');
    const now = look.nowMilliseconds;
    const decided = decideAlerts(judgement, before, {
      now,
      reminderMilliseconds: config.alerts.reminderHours * 3_600_000,
    });
    let { memory } = decided;
    showFiring(
      effects,
      Object.values(memory).filter((one) => isFiring(one, now)),
    );
    for (const alert of decided.alerts) {
      if (!(await tell(alert, now))) memory = forgetAlert(memory, before, alert);
    }
    if (unsaved === null && JSON.stringify(memory) === JSON.stringify(before)) return;
    unsaved = memory;
    await writeAlertMemory(config.dataDir, memory);
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
        if (error instanceof ExternalError && error.code === 'job_running') return;
        const { sentence, isBug } = describeError(error);
        const trouble = isBug ? ((error as Error).stack ?? sentence) : sentence;
        if (trouble !== lastTrouble) effects.log.warn(`alerts: ${trouble}`);
        lastTrouble = trouble;
      }
    },
  };
}

/**
 * Of several processes on a data folder one alone sends alerts.
 * @returns null where the disk refuses a lock: an alert about a full disk is worth being sent twice
 */
async function acquireAlertLock({ config, effects }: AlerterOptions) {
  return acquireLocks(config.dataDir, SEND_ALERTS, [SEND_ALERTS], effects.clock).catch((error: unknown) => {
    if (isOfTheSystem(error)) return null;
    throw error;
  });
}

function showFiring({ metrics }: MonitoredEffects, firing: readonly { readonly kind: string }[]): void {
  metrics.gauges.alertFiring.replace(
    promiseKinds.map((kind) => ({ labels: { kind }, value: firing.filter((one) => one.kind === kind).length })),
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
