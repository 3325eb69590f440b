import { useId } from 'preact/hooks';
import type { PunctualityData, PunctualityLine } from '../../../contract/site-charts.ts';
import { useFetch } from '../fetch/use-fetch.ts';
import { StopSearch } from '../stop-search/stop-search.tsx';
import {
  addDays,
  before,
  type ChosenPeriod,
  type Comparison,
  comparisons,
  dataPath,
  type PunctualityPageState,
  type Selection,
} from './page-state.ts';
import { formatLimit, texts } from './page-texts.ts';
import { DateField, PeriodFields } from './period-fields.tsx';

interface FiltersProps {
  readonly state: PunctualityPageState;
  /** Data for this state or the previous one; null until the first arrives. */
  readonly data: PunctualityData | null;
  readonly goTo: (state: PunctualityPageState) => void;
}

/** On phones the fields would push all numbers off the screen. */
const isWide = matchMedia('(min-width: 40rem)').matches;
const t = texts.filters;

/** Selects the data and its comparison. Every change is a step in the browser history. */
export function Filters({ state, data, goTo }: FiltersProps) {
  const { selection, versus } = state;
  const choose = (changes: Partial<Selection>) => goTo({ ...state, selection: { ...selection, ...changes } });
  return (
    <details class="filter-panel" open={isWide}>
      <summary>{t.label}</summary>
      <form class="filters card" aria-label={t.label} onSubmit={(event) => event.preventDefault()}>
        <PeriodFields
          chosen={selection}
          period={data?.period ?? null}
          // Presets end on the last recorded day, or yesterday if nothing is recorded.
          end={data?.recorded?.to ?? data?.period.to ?? null}
          onChange={choose}
        />
        <div class="fields">
          <LineField
            label={t.line}
            value={selection.line}
            period={data?.period ?? null}
            onChange={(line) => choose({ line, operator: null })}
          />
          <StopSearch
            label={t.stop}
            value={selection.stopId === null ? '' : (data?.stopName ?? '')}
            onPick={({ id }) => choose({ stopId: id })}
          />
          <SourceField data={data} value={selection.source} onChange={(source) => choose({ source })} />
          <DefinitionField data={data} onChange={(definition) => choose({ definition })} />
        </div>
        <Chosen state={state} data={data} choose={choose} />
        <CompareFields state={state} period={data?.period ?? null} goTo={goTo} key={versus} />
      </form>
    </details>
  );
}

interface ChooseProps {
  readonly state: PunctualityPageState;
  readonly data: PunctualityData | null;
  readonly choose: (changes: Partial<Selection>) => void;
}

interface LineFieldProps {
  readonly label: string;
  readonly value: string | null;
  /** Number of days whose lines are suggested. */
  readonly period: ChosenPeriod | null;
  readonly onChange: (line: string | null) => void;
}

function LineField({ label, value, period, onChange }: LineFieldProps) {
  const id = useId();
  const labels = useLineLabels(period);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        list={`${id}-lines`}
        autocomplete="off"
        placeholder={t.lineHint}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim() || null)}
      />
      <datalist id={`${id}-lines`}>
        {labels.map((line) => (
          <option key={line} value={line} />
        ))}
      </datalist>
    </div>
  );
}

const anything: Omit<Selection, 'from' | 'to'> = {
  line: null,
  operator: null,
  stopId: null,
  source: null,
  definition: null,
};

/** Labels of all lines in the last week of a period, which is enough for suggestions. */
function useLineLabels(period: ChosenPeriod | null): readonly string[] {
  const selection = period && { ...anything, from: addDays(period.to, -6), to: period.to };
  const path = selection && dataPath(selection, 'lines');
  const [{ answer }] = useFetch<{ readonly rows: readonly PunctualityLine[] }>(path, { keepsLast: true });
  return [...new Set(answer?.rows.map(({ line }) => line).filter((line) => line !== ''))];
}

interface ChoiceProps {
  readonly data: PunctualityData | null;
  readonly onChange: (value: string | null) => void;
}

function SourceField({ data, value, onChange }: ChoiceProps & { readonly value: string | null }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{t.source}</label>
      <select id={id} value={value ?? ''} onChange={({ currentTarget }) => onChange(currentTarget.value || null)}>
        <option value="">{t.allSources}</option>
        {data?.sources.map((source) => (
          <option key={source} value={source}>
            {source}
          </option>
        ))}
      </select>
    </div>
  );
}

function DefinitionField({ data, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{t.definition}</label>
      <select
        id={id}
        value={data?.definition.id ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
      >
        {data?.definitions.map(({ id: choice, onTimeMaxDelaySeconds, evidence }) => (
          <option key={choice} value={choice}>
            {texts.definition(formatLimit(onTimeMaxDelaySeconds), evidence)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Parts of the selection that have no field, each with a button that removes it. */
function Chosen({ state: { selection }, data, choose }: ChooseProps) {
  const { line, operator, stopId } = selection;
  const parts = [
    ...(line === null ? [] : [[`${t.line} ${line}`, { line: null, operator: null }] as const]),
    ...(operator === null ? [] : [[t.operator(operator), { operator: null }] as const]),
    ...(stopId === null ? [] : [[data?.stopName ?? stopId, { stopId: null }] as const]),
  ];
  if (parts.length === 0) return null;
  return (
    <div class="chosen">
      {parts.map(([name, without]) => (
        <button key={name} type="button" aria-label={t.remove(name)} onClick={() => choose(without)}>
          <bdi>{name}</bdi> <span aria-hidden="true">×</span>
        </button>
      ))}
    </div>
  );
}

interface CompareProps {
  readonly state: PunctualityPageState;
  readonly period: ChosenPeriod | null;
  readonly goTo: (state: PunctualityPageState) => void;
}

function CompareFields({ state, period, goTo }: CompareProps) {
  const { versus, other } = state;
  const compare = (to: Comparison) => goTo({ ...state, versus: to });
  const chooseOther = (changes: Partial<PunctualityPageState['other']>) =>
    goTo({ ...state, other: { ...other, ...changes } });
  const compared =
    other.from !== null && other.to !== null ? { from: other.from, to: other.to } : period && before(period);
  return (
    <div class="fields">
      <fieldset class="choices" aria-label={t.compare}>
        {comparisons.map((one) => (
          <button key={one} type="button" aria-pressed={one === versus} onClick={() => compare(one)}>
            {one === 'none' ? `${t.compare}: ${t.with.none}` : t.with[one]}
          </button>
        ))}
      </fieldset>
      {versus === 'period' && compared && (
        <>
          <DateField
            label={t.otherFrom}
            value={compared.from}
            onChange={(from) => chooseOther({ ...compared, from })}
          />
          <DateField label={t.otherTo} value={compared.to} onChange={(to) => chooseOther({ ...compared, to })} />
        </>
      )}
      {versus === 'line' && (
        <LineField label={t.otherLine} value={other.line} period={period} onChange={(line) => chooseOther({ line })} />
      )}
    </div>
  );
}
