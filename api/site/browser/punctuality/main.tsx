import type { PunctualityData } from '../../../contract/site-charts.ts';
import { LoadState } from '../charts/load-state.tsx';
import { useFetch } from '../fetch/use-fetch.ts';
import { mount } from '../page/mount.ts';
import { changeQuery, useQuery } from '../page/use-query.ts';
import { DayChart } from './day-chart.tsx';
import { DelayChart } from './delay-chart.tsx';
import { Filters } from './filters.tsx';
import { HourChart } from './hour-chart.tsx';
import { LineLists, type LineListsProps } from './line-lists.tsx';
import { type Comparison, dataPath, findOther, readState, writeState } from './page-state.ts';
import { formatLimit, texts } from './page-texts.ts';
import { listSeries, type Series } from './series.ts';
import { Totals } from './totals.tsx';
import '../charts/totals.css';

mount('punctuality', <PunctualityPage />);

function PunctualityPage() {
  const [query, change] = useQuery();
  const state = readState(query);
  const { selection, versus } = state;
  const [first] = useFetch<PunctualityData>(dataPath(selection), { keepsLast: true });
  const otherSelection = findOther(state, first.answer?.period ?? null);
  const [other] = useFetch<PunctualityData>(otherSelection && dataPath(otherSelection), { keepsLast: true });
  const error = first.error ?? other.error;
  const isLoading = first.isLoading || other.isLoading;
  const compared = otherSelection && other.answer && { data: other.answer, selection: otherSelection };
  return (
    <>
      <Filters state={state} data={first.answer} goTo={(next) => change(writeState(next))} />
      <LoadState isLoading={isLoading} error={error} />
      {first.answer && (
        <div class={isLoading ? 'loading' : undefined}>
          <Charts
            series={listSeries(versus, { data: first.answer, selection }, compared)}
            versus={versus}
            linkLine={({ line, operator }) =>
              changeQuery(location.href, { line, operator: operator || null, versus: null, 'other-line': null })
            }
          />
        </div>
      )}
    </>
  );
}

interface ChartsProps extends LineListsProps {
  readonly versus: Comparison;
}

function Charts({ series, versus, linkLine }: ChartsProps) {
  if (series.every(({ data }) => !data.totals?.expected)) return <Nothing series={series[0]!} />;
  const { data, selection } = series[0]!;
  const limit = formatLimit(data.definition.onTimeMaxDelaySeconds);
  const note = {
    observed_actual: texts.definitionNote,
    last_forecast: texts.lastForecastNote,
    forecast: texts.forecastNote,
  }[data.definition.evidence];
  return (
    <>
      <Totals series={series} />
      <p class="note">{note(limit)}</p>
      <DayChart series={series} versus={versus} />
      <HourChart series={series} />
      {selection.line === null && <LineLists series={series} linkLine={linkLine} />}
      <DelayChart series={series} />
    </>
  );
}

function Nothing({ series: { data } }: { readonly series: Series }) {
  return <p class="card nothing">{data.recorded === null ? texts.nothing : texts.nothingInPeriod}</p>;
}
