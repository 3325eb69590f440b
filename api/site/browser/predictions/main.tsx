import type { PredictionData, PredictionTable } from '../../../contract/site-charts.ts';
import type { ChartSource } from '../charts/chart-panel.tsx';
import { LoadState } from '../charts/load-state.tsx';
import { useFetch } from '../fetch/use-fetch.ts';
import { mount } from '../page/mount.ts';
import { type QueryChanges, useQuery } from '../page/use-query.ts';
import { ErrorDayChart, HorizonChart } from './error-charts.tsx';
import { ExampleChart } from './example-chart.tsx';
import { Filters } from './filters.tsx';
import { IntervalChart } from './interval-chart.tsx';
import { ModelTests } from './model-tests.tsx';
import { dataPath, type PredictionsPageState, readState } from './page-state.ts';
import { texts } from './page-texts.ts';
import { Summary } from './summary.tsx';
import { TransferChart } from './transfer-chart.tsx';
import '../charts/totals.css';
import './predictions.css';

mount('predictions', <PredictionsPage />);

function PredictionsPage() {
  const [query, change] = useQuery();
  const state = readState(query);
  const [{ answer: data, isLoading, error }] = useFetch<PredictionData>(dataPath(state), { keepsLast: true });
  return (
    <>
      <LoadState isLoading={isLoading} error={error} />
      {data && (
        <div class={isLoading ? 'loading' : undefined}>
          <Filters data={data} change={change} />
          <Charts data={data} state={state} change={change} />
        </div>
      )}
    </>
  );
}

interface ChartsProps {
  readonly data: PredictionData;
  readonly state: PredictionsPageState;
  readonly change: (changes: QueryChanges) => void;
}

function Charts({ data, state, change }: ChartsProps) {
  if (data.question === null) return <ModelTests models={data.models} />;
  const from = (table: PredictionTable, name: string | null = null): ChartSource => ({
    name,
    path: dataPath(state, table),
    sql: data.sql[table],
  });
  return (
    <>
      {data.day_errors.length === 0 && <p class="card nothing">{texts.nothingOnDay}</p>}
      <Summary data={data} />
      <HorizonChart
        data={data}
        sources={[from('day_errors', texts.errors.day), from('month_errors', texts.errors.month)]}
      />
      <ErrorDayChart data={data} sources={[from('days')]} />
      <IntervalChart
        data={data}
        sources={[from('month_errors', texts.errors.horizon), from('confidence', texts.intervals.confidence)]}
      />
      <TransferChart data={data} sources={[from('changes')]} />
      <ExampleChart
        data={data}
        sources={[from('example')]}
        showExample={(example) => change({ day: data.question!.day, example: String(example) })}
      />
    </>
  );
}
