import type { Config } from '../pipeline/config/load-config.ts';
import type { SourceId } from '../pipeline/model/ids.ts';
import type { ServiceDate } from '../pipeline/model/service-time.ts';
import { renderTable } from './text-table.ts';

/** How predictions of a source are doing. Errors are mean absolute ones in seconds; null where nothing was measured. */
export interface PredictionListing {
  readonly source: SourceId;
  readonly model: string;
  /** The last service date that the model knows of. */
  readonly lastDay: ServiceDate;
  /** The newest day whose predictions were measured; null: none yet. */
  readonly measuredDay: ServiceDate | null;
  readonly pairs: number;
  readonly error: number | null;
  /** Of assuming that the delay stays. */
  readonly persistenceError: number | null;
  /** Share of arrivals from p10 to p90. */
  readonly covered: number | null;
  /** Of pairs for which the source had a forecast of its own: its error, and ours on the same. */
  readonly sourceError: number | null;
  readonly errorBesideSource: number | null;
}

export interface PredictionStatus {
  readonly isPaused: boolean;
  readonly sources: readonly PredictionListing[];
}

/** The models in use, and what was last measured of them. */
export async function findPredictionStatus({ dataDir, predictions }: Config): Promise<PredictionStatus> {
  const { findCurrentModel, listModelSources } = await import('../pipeline/predictions/learning/model-store.ts');
  const { findLastMeasuredDay } = await import('../pipeline/predictions/measured/evaluate-day.ts');
  const sources: PredictionListing[] = [];
  for (const source of await listModelSources(dataDir)) {
    const manifest = await findCurrentModel(dataDir, source);
    if (!manifest) continue;
    const day = await findLastMeasuredDay(dataDir, source);
    const figuresOf = (pairsOf: 'all' | 'toldBySource') =>
      day?.figures.find((one) => one.pairsOf === pairsOf && one.unit === 'raw') ?? null;
    const errorsOf = (pairsOf: 'all' | 'toldBySource') =>
      figuresOf(pairsOf)?.errors.find(({ slice }) => slice === 'all');
    const [all, told] = [errorsOf('all'), errorsOf('toldBySource')];
    const interval = figuresOf('all')?.intervals.find(
      ({ slice, forecaster }) => slice === 'all' && forecaster === 'ours',
    );
    sources.push({
      source,
      model: manifest.id,
      lastDay: manifest.lastDay,
      measuredDay: day?.serviceDate ?? null,
      pairs: all?.pairs ?? 0,
      error: all?.meanError.ours ?? null,
      persistenceError: all?.meanError.persistence ?? null,
      covered: interval?.covered ?? null,
      sourceError: told?.meanError.source ?? null,
      errorBesideSource: told?.meanError.ours ?? null,
    });
  }
  return { isPaused: predictions.paused, sources };
}

export function renderPredictionStatus({ isPaused, sources }: PredictionStatus): string[] {
  const paused = isPaused ? ['Predictions are paused by the configuration.'] : [];
  if (sources.length === 0) {
    return [
      ...paused,
      'No model forecasts delays: "taktgeber run build-features" and "run train-predictions" make one.',
    ];
  }
  const numbers = ['PAIRS', 'ERROR', 'DELAY STAYS', 'COVERED', 'SOURCE', 'OURS BESIDE IT'];
  const columns = [
    ...['PREDICTIONS', 'MODEL', 'MEASURED'].map((title) => ({ title })),
    ...numbers.map((title) => ({ title, align: 'end' as const })),
  ];
  const rows = sources.map((one) => [
    one.source,
    one.model,
    one.measuredDay ?? 'not yet',
    one.measuredDay === null ? '-' : one.pairs.toLocaleString('en'),
    seconds(one.error),
    seconds(one.persistenceError),
    one.covered === null ? '-' : `${(100 * one.covered).toFixed(1)} %`,
    seconds(one.sourceError),
    seconds(one.errorBesideSource),
  ]);
  return [...paused, ...renderTable(columns, rows)];
}

function seconds(error: number | null): string {
  return error === null ? '-' : `${error.toFixed(1)} s`;
}
