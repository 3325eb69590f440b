import { AsyncLocalStorage } from 'node:async_hooks';

/** @throws ExternalError where the work may no longer publish, e.g. because it has lost its lock */
type PublicationGuard = () => Promise<void>;

/*
 * State of the module, against the rule: a guard handed through the signatures of all that writes would be forgotten
 * somewhere, and a forgotten one publishes in silence. Outside of a guarded task nothing is checked.
 */
const guards = new AsyncLocalStorage<readonly PublicationGuard[]>();

/** Runs a task whose publications wait for the guard, in addition to those that hold already. */
export function withPublicationGuard<Result>(guard: PublicationGuard, task: () => Promise<Result>): Promise<Result> {
  return guards.run([...(guards.getStore() ?? []), guard], task);
}

/**
 * Called directly before each step that makes data visible to readers.
 * @throws the error of a guard of the running task
 */
export async function assertMayPublish(): Promise<void> {
  for (const guard of guards.getStore() ?? []) await guard();
}
