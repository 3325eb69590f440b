import type { ModelTestRow } from '../../../contract/site-charts.ts';
import { DataTable, type TableColumn } from '../charts/data-table.tsx';
import { formatCount, formatSeconds, formatShare } from '../charts/numbers.ts';
import { findPlace } from '../page/mount.ts';
import { texts } from './page-texts.ts';

const { title, note, ...names } = texts.tests;
const columns: readonly TableColumn<ModelTestRow>[] = [
  { name: names.source, show: ({ source }) => source },
  { name: names.error, show: ({ errorSeconds }) => formatSeconds(errorSeconds), isNumber: true },
  {
    name: names.persistence,
    show: ({ persistenceErrorSeconds }) => formatSeconds(persistenceErrorSeconds),
    isNumber: true,
  },
  { name: names.covered, show: ({ coveredShare }) => formatShare(coveredShare), isNumber: true },
  { name: names.pairs, show: ({ pairs }) => formatCount(pairs), isNumber: true },
];

/** Test results of the models in use, shown until predictions of the first day are measured. */
export function ModelTests({ models }: { readonly models: readonly ModelTestRow[] }) {
  const isMadeUp = findPlace('predictions').dataset.madeUp === 'true';
  return (
    <>
      <p class="card nothing">{models.length === 0 && isMadeUp ? texts.learning : texts.nothing}</p>
      {models.length > 0 && (
        <section aria-labelledby="tests-title">
          <h2 id="tests-title">{title}</h2>
          <p class="note">{note}</p>
          <DataTable caption={title} columns={columns} rows={models} keyOf={({ source }) => source} />
        </section>
      )}
    </>
  );
}
