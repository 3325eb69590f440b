import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { isSystemError } from '../../pipeline/effects/external-error.ts';
import { createThreadMemory } from '../../pipeline/effects/thread-memory.ts';
import type { Metrics } from '../../pipeline/metrics/metrics.ts';
import type { MetricsServer } from '../../pipeline/metrics/serve-metrics.ts';

/** Effects of a process that is watched from outside. */
export type MonitoredEffects = Effects & { readonly metrics: Metrics };

export interface Monitoring {
  /** Those it was opened with, and what counts. */
  readonly effects: MonitoredEffects;
  /** From now on the process is ready while this gives null, else the reason why it is not. */
  begin(findTrouble?: () => string | null): void;
  close(): Promise<void>;
}

/**
 * Opens the address of metrics and health for a process that serves or runs jobs. A taken port is logged and costs only
 * the metrics: nothing of the service depends on them.
 * @param interrupt aborts when the process stops: from then on it is not ready
 */
export async function openMonitoring(config: Config, effects: Effects, interrupt: AbortSignal): Promise<Monitoring> {
  // Imported on demand: most commands count nothing.
  const { createMetrics } = await import('../../pipeline/metrics/metrics.ts');
  const { measureProcess } = await import('../../pipeline/metrics/process-metrics.ts');
  const metrics = createMetrics();
  const threadMonitor = createThreadMemory();
  let findOwnTrouble = (): string | null => 'starting';
  const findTrouble = () => (interrupt.aborted ? 'stopping' : findOwnTrouble());
  metrics.beforeScrape(() => metrics.gauges.ready.replace([{ labels: {}, value: findTrouble() === null ? 1 : 0 }]));
  const measuring = config.metrics.isEnabled ? measureProcess(metrics, threadMonitor, effects.clock) : null;
  const server = config.metrics.isEnabled ? await listen(config, effects, { metrics, findTrouble }) : null;
  return {
    effects: { ...effects, threadMonitor, metrics },
    begin(findTroubleThen = () => null) {
      findOwnTrouble = findTroubleThen;
    },
    async close() {
      measuring?.stop();
      await server?.close();
    },
  };
}

/** @returns null when the address cannot be had */
async function listen(
  { metrics: { host, port } }: Config,
  { log }: Effects,
  served: { readonly metrics: Metrics; findTrouble(): string | null },
): Promise<MetricsServer | null> {
  const { serveMetrics } = await import('../../pipeline/metrics/serve-metrics.ts');
  try {
    const server = await serveMetrics({ ...served, host, port });
    log.info(`Metrics and health are on ${server.url}`);
    return server;
  } catch (error) {
    const codes = ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND'];
    if (!codes.some((code) => isSystemError(error, code))) throw error;
    const { message } = error as Error;
    log.warn(`no metrics: ${message}. Set TAKTGEBER_METRICS_PORT to another port`);
    return null;
  }
}
