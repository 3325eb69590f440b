import type { ComponentChildren } from 'preact';
import type { PunctualityShares } from '../../../contract/site-charts.ts';
import { formatCount, formatInterval, formatMinutes, formatShare } from '../charts/numbers.ts';
import { formatLimit, MIN_OBSERVED, texts } from './page-texts.ts';
import type { Series } from './series.ts';

/** The totals of the period, each with its denominator. */
export function Totals({ series }: { readonly series: readonly Series[] }) {
  return (
    <section class="totals" aria-label={texts.totals.label} aria-live="polite">
      {series.map((one) => one.data.totals && <TotalsCard key={one.id} series={one} totals={one.data.totals} />)}
    </section>
  );
}

function TotalsCard({ series, totals }: { readonly series: Series; readonly totals: PunctualityShares }) {
  const { name, id, data } = series;
  const { expected, observed, derived, forecasts, cancelled, replaced, early, late10 } = totals;
  const shareOf = (count: number) => formatShare(observed === 0 ? null : count / observed);
  return (
    <div class="card" data-series={id}>
      {name !== null && <h2>{name}</h2>}
      <dl>
        <Total name={texts.totals.onTime} value={formatShare(totals.on_time_share)} isMain>
          {texts.totals.ofObserved(formatCount(observed))}
          {observed > 0 && `; ${texts.totals.interval(formatInterval(totals.on_time_low, totals.on_time_high))}`}
          {observed > 0 && observed < MIN_OBSERVED && <span class="few">{texts.totals.few}</span>}
        </Total>
        <Total name={texts.totals.coverage} value={formatShare(totals.coverage)}>
          {texts.totals.ofExpected(formatCount(expected))}
          {derived > 0 && `; ${texts.totals.derived(shareOf(derived))}`}
          {forecasts > 0 && `; ${texts.totals.forecasts(shareOf(forecasts))}`}
        </Total>
        <Total name={texts.totals.meanDelay} value={formatMinutes(totals.mean_delay_seconds)}>
          {texts.totals.ofObserved(formatCount(observed))}
        </Total>
        <Total name={texts.totals.late(formatLimit(data.definition.lateMinDelaySeconds))} value={shareOf(late10)}>
          {texts.totals.ofObserved(formatCount(observed))}
        </Total>
        <Total name={texts.totals.early} value={shareOf(early)}>
          {texts.totals.ofObserved(formatCount(observed))}
        </Total>
        <Total name={texts.totals.cancelled} value={formatCount(cancelled)}>
          {texts.totals.cancelledNote}
          {replaced > 0 && `; ${texts.totals.replaced(formatCount(replaced))}`}
        </Total>
      </dl>
    </div>
  );
}

interface TotalProps {
  readonly name: string;
  readonly value: string;
  readonly isMain?: boolean;
  readonly children: ComponentChildren;
}

function Total({ name, value, isMain, children }: TotalProps) {
  return (
    <div class={isMain ? 'main-number' : undefined}>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong> <span class="note">{children}</span>
      </dd>
    </div>
  );
}
