import { type FactsRequest, readServiceFacts } from '../monitoring/service-facts.ts';
import { readAlertStates } from './alert-states.ts';
import { type AlertState, alertKey, isFiring } from './decide-notifications.ts';
import { type ActiveAlert, type AlertEvaluation, evaluateAlerts } from './evaluate-alerts.ts';

/** The alerts that are active at one instant. */
interface AlertCheck extends AlertEvaluation {
  readonly nowMilliseconds: number;
}

/** Evaluates the current facts by the limits of the configuration. */
export async function checkAlerts(request: FactsRequest, readFacts = readServiceFacts): Promise<AlertCheck> {
  const facts = await readFacts(request);
  return { nowMilliseconds: facts.nowMilliseconds, ...evaluateAlerts(facts, request.config) };
}

/** Lists the active alerts for an operator, each with the state that the running service keeps; null: none yet. */
export async function listActiveAlerts(request: FactsRequest): Promise<{
  readonly active: readonly (readonly [alert: ActiveAlert, known: AlertState | null])[];
  readonly unknown: AlertEvaluation['unknown'];
}> {
  const { nowMilliseconds, active, unknown } = await checkAlerts(request);
  const states = await readAlertStates(request.config.dataDir);
  const known = active.map((alert) => [alert, states[alertKey(alert)] ?? null] as const);
  // An alert with a minimum duration is not shown before it fires.
  const counts = ([{ afterSeconds }, one]: (typeof known)[number]) =>
    afterSeconds === undefined ||
    (one !== null && isFiring({ ...one, afterSeconds, inactiveSince: null }, nowMilliseconds));
  return { active: known.filter(counts), unknown };
}
