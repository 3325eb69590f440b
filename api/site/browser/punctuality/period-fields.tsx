import { useId } from 'preact/hooks';
import { addDays, type ChosenPeriod, countDays } from './page-state.ts';
import { texts } from './page-texts.ts';

/** Days of a period; null: not chosen. */
interface Dates {
  readonly from: string | null;
  readonly to: string | null;
}

interface PeriodFieldsProps {
  readonly chosen: Dates;
  /** Of the data that is shown; null while unknown. */
  readonly period: ChosenPeriod | null;
  /** Last day of the presets; null while unknown. */
  readonly end: string | null;
  readonly onChange: (changes: Partial<Dates>) => void;
}

const presets = [7, 30, 90, 365];
const t = texts.filters;

/** Chooses a period: the last days, or two dates. */
export function PeriodFields({ chosen, period, end, onChange }: PeriodFieldsProps) {
  const isPreset = (days: number) => period !== null && period.to === end && countDays(period) === days;
  return (
    <div class="fields">
      <fieldset class="choices" aria-label={t.period}>
        {presets.map((days) => (
          <button
            key={days}
            type="button"
            aria-pressed={isPreset(days)}
            disabled={end === null}
            onClick={() => end !== null && onChange({ from: addDays(end, 1 - days), to: end })}
          >
            {t.lastDays(days)}
          </button>
        ))}
      </fieldset>
      <DateField label={t.from} value={chosen.from ?? period?.from ?? ''} onChange={(from) => onChange({ from })} />
      <DateField label={t.to} value={chosen.to ?? period?.to ?? ''} onChange={(to) => onChange({ to })} />
    </div>
  );
}

interface DateFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function DateField({ label, value, onChange }: DateFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={value}
        onChange={({ currentTarget }) => currentTarget.value && onChange(currentTarget.value)}
      />
    </div>
  );
}
