import type { ModelTestRow } from '../../../contract/site-charts.ts';
import { formatCount, formatSeconds, formatShare } from '../charts/numbers.ts';
import { findPlace } from '../page/mount.ts';
import { texts } from './page-texts.ts';

/** Shown until the first day is measured: what the models in use achieved in their test. */
export function ModelTests({ models }: { readonly models: readonly ModelTestRow[] }) {
  const isMadeUp = findPlace('predictions').dataset.madeUp === 'true';
  return (
    <>
      <p class="card nothing">{models.length === 0 && isMadeUp ? texts.learning : texts.nothing}</p>
      {models.length > 0 && <TestTable models={models} />}
    </>
  );
}

function TestTable({ models }: { readonly models: readonly ModelTestRow[] }) {
  const { title, note, source, error, persistence, covered, pairs } = texts.tests;
  return (
    <section aria-labelledby="tests-title">
      <h2 id="tests-title">{title}</h2>
      <p class="note">{note}</p>
      <div class="wide" tabIndex={0} role="group" aria-label={title}>
        <table class="number-table">
          <thead>
            <tr>
              {[source, error, persistence, covered, pairs].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {models.map((model) => (
              <tr key={model.source}>
                <th scope="row">{model.source}</th>
                <td>{formatSeconds(model.errorSeconds)}</td>
                <td>{formatSeconds(model.persistenceErrorSeconds)}</td>
                <td>{formatShare(model.coveredShare)}</td>
                <td>{formatCount(model.pairs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
