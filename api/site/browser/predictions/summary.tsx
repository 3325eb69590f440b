import type { PredictionData, PredictionError } from '../../../contract/site-charts.ts';
import { formatCount, formatDay, formatSeconds, formatWholeShare } from '../charts/numbers.ts';
import { forecasterLabel, texts } from './page-texts.ts';

const t = texts.summary;

/** Our mean error on the day and over the month, compared with other methods. */
export function Summary({ data }: { readonly data: PredictionData }) {
  const { day, month } = data.question!;
  return (
    <section class="totals" aria-label={t.label} aria-live="polite">
      <ErrorCard title={t.onDay(formatDay(day))} errors={data.day_errors} />
      <ErrorCard title={t.inMonth(formatDay(month.from), formatDay(month.to))} errors={data.month_errors} />
    </section>
  );
}

function ErrorCard({ title, errors }: { readonly title: string; readonly errors: readonly PredictionError[] }) {
  const all = errors.filter(({ slice }) => slice === 'all');
  const ours = all.find(({ forecaster }) => forecaster === 'ours');
  const others = all.filter(({ forecaster }) => forecaster === 'persistence' || forecaster === 'source');
  return (
    <div class="card">
      <h2>{title}</h2>
      <dl>
        <div class="main-number">
          <dt>{t.error}</dt>
          <dd>
            <strong>{formatSeconds(ours?.mean_error_seconds ?? null)}</strong>{' '}
            <span class="note">{t.ofPairs(formatCount(ours?.pairs ?? 0))}</span>
          </dd>
        </div>
        {others.map((other) => (
          <div key={other.forecaster}>
            <dt>{forecasterLabel(other.forecaster)}</dt>
            <dd>
              <strong>{formatSeconds(other.mean_error_seconds)}</strong>{' '}
              <span class="note">{ours && compare(ours, other)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function compare(ours: PredictionError, other: PredictionError): string {
  if (ours.mean_error_seconds === null || !other.mean_error_seconds) return '';
  const change = ours.mean_error_seconds / other.mean_error_seconds - 1;
  const share = formatWholeShare(Math.abs(change));
  const name = forecasterLabel(other.forecaster);
  return change <= 0 ? t.better(share, name) : t.worse(share, name);
}
