import type { Config } from '../../pipeline/config/load-config.ts';
import type { Deliver } from '../../pipeline/effects/deliver-json.ts';
import { ExternalError, isOfTheSystem } from '../../pipeline/effects/external-error.ts';
import { describeError } from '../job/exit-code.ts';
import type { Job } from '../job/job.ts';
import { acquireLocks } from '../locks/job-lock.ts';
import type { MonitoredEffects } from '../monitoring/open-monitoring.ts';
import type { FactsRequest, ServiceFacts } from '../monitoring/service-facts.ts';
import { describeNotification, listDeliveries, toMessage } from './alert-message.ts';
import { readAlertStates, writeAlertStates } from './alert-states.ts';
import { checkAlerts } from './check-alerts.ts';
import {
  type AlertStates,
  alertKey,
  decideNotifications,
  isFiring,
  type Notification,
  revertNotification,
} from './decide-notifications.ts';
import { alertKinds, excludeJobAlerts } from './evaluate-alerts.ts';
import { type AlertLeader, leadAlerting, SEND_ALERTS } from './lead-alerting.ts';

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
 * Checks the alerts once a minute and notifies the operator of those that fire and those that are resolved: in the log,
 * and by the command and the webhook of the configuration. Repeats failed deliveries at the next check. Ends with the
 * signal.
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
  /** Reads the facts of the service; tests pass their own. */
  readonly readFacts?: (request: FactsRequest) => Promise<ServiceFacts>;
  readonly deliveries: readonly Deliver[];
  readonly findLeader: () => AlertLeader;
}

/** @returns `round` checks once and notifies; it never rejects */
export function createAlerter(options: AlerterOptions): { round(): Promise<void> } {
  const { config, effects } = options;
  const notify = createNotifier(options);
  /** Newer than the file while the disk is full. */
  let unsavedStates: AlertStates | null = null;
  let lastProblem = '';
  const round = async () => {
    const before = unsavedStates ?? (await readAlertStates(config.dataDir));
    const check = await checkAlerts({ ...options, clock: effects.clock }, options.readFacts);
    const leader = options.findLeader();
    const evaluation = leader === 'this' ? check : excludeJobAlerts(check, leader === 'another');
    const now = check.nowMilliseconds;
    const decided = decideNotifications(evaluation, before, {
      now,
      reminderMilliseconds: config.alerts.reminderHours * 3_600_000,
    });
    let { states } = decided;
    showFiring(
      effects,
      Object.values(states).filter((one) => isFiring(one, now)),
    );
    for (const notification of decided.notifications) {
      if (!(await notify(notification, now))) states = revertNotification(states, before, notification);
    }
    if (unsavedStates === null && JSON.stringify(states) === JSON.stringify(before)) return;
    unsavedStates = states;
    await writeAlertStates(config.dataDir, states);
    unsavedStates = null;
  };
  return {
    async round() {
      try {
        const lock = await acquireAlertLock(options);
        await round().finally(() => lock?.release());
        lastProblem = '';
      } catch (error) {
        // Another process on this folder notifies.
        if (error instanceof ExternalError && error.code === 'job_running') return;
        const { sentence, isBug } = describeError(error);
        const problem = isBug ? ((error as Error).stack ?? sentence) : sentence;
        if (problem !== lastProblem) effects.log.warn(`alerts: ${problem}`);
        lastProblem = problem;
      }
    },
  };
}

/**
 * Of several processes on a data folder one alone sends alerts.
 * @returns null where the disk refuses a lock: sending an alert about a full disk twice does no harm
 */
async function acquireAlertLock({ config, effects }: AlerterOptions) {
  return acquireLocks(config.dataDir, SEND_ALERTS, [SEND_ALERTS], effects.clock).catch((error: unknown) => {
    if (isOfTheSystem(error)) return null;
    throw error;
  });
}

function showFiring({ metrics }: MonitoredEffects, firing: readonly { readonly kind: string }[]): void {
  metrics.gauges.alertFiring.replace(
    alertKinds.map((kind) => ({ labels: { kind }, value: firing.filter((one) => one.kind === kind).length })),
  );
}

/**
 * Writes notifications to the log, once each, and sends them to the command and the webhook.
 * @returns a function that returns whether at least one of the two accepted the notification, or none is configured
 */
function createNotifier({
  config,
  effects,
  deliveries,
}: AlerterOptions): (notification: Notification, now: number) => Promise<boolean> {
  const { log, metrics } = effects;
  /** Notifications that are logged and still to be delivered. */
  const logged = new Set<string>();
  let lastFailure = '';
  return async (notification, now) => {
    const { event, alert } = notification;
    const text = describeNotification(notification);
    const key = `${event} ${alertKey(alert)}`;
    if (!logged.has(key)) {
      if (event === 'resolved') log.info(`alert: ${text}`);
      else log.warn(`alert: ${text} ${alert.remedy}`);
    }
    const json = JSON.stringify(toMessage(notification, now, config.dataDir));
    const results = await Promise.allSettled(deliveries.map((deliver) => deliver(json)));
    for (const result of results) {
      metrics.counters.alertsSent.add({ outcome: result.status === 'fulfilled' ? 'delivered' : 'failed' });
      if (result.status === 'fulfilled') continue;
      const failure = (result.reason as Error).message;
      if (failure !== lastFailure) log.warn(`cannot deliver alerts, will retry: ${failure}`);
      lastFailure = failure;
    }
    const isDelivered = results.length === 0 || results.some(({ status }) => status === 'fulfilled');
    if (isDelivered) logged.delete(key);
    else logged.add(key);
    if (results.every(({ status }) => status === 'fulfilled')) lastFailure = '';
    return isDelivered;
  };
}
