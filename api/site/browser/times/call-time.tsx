import { boardTexts } from '../../texts/boards.ts';
import { rateDelay, type ShownTime } from '../../view-model/shown-time.ts';
import { pageLanguage } from '../page/language.ts';
import './call-time.css';

/** The estimated time, and the scheduled time if it differs. */
export function CallTime({ time, isCancelled = false }: { readonly time: ShownTime; readonly isCancelled?: boolean }) {
  const texts = boardTexts[pageLanguage()];
  if (isCancelled) {
    return (
      <span class="call-time">
        <s>{time.planned ?? time.clock}</s>
      </span>
    );
  }
  return (
    <span class="call-time" data-punctuality={rateDelay(time.delayMinutes)}>
      {time.planned !== null && (
        <s>
          <span class="visually-hidden">{texts.scheduled} </span>
          {time.planned}
        </s>
      )}
      <strong>{time.clock}</strong>
    </span>
  );
}

/** Shows a number, and gives screen readers a sentence. */
export function Delay({ minutes }: { readonly minutes: number | null }) {
  const texts = boardTexts[pageLanguage()];
  if (minutes === null) return <span class="visually-hidden">{texts.plannedOnly}</span>;
  if (minutes === 0) return <span class="visually-hidden">{texts.onTime}</span>;
  const sentence = minutes > 0 ? texts.late(minutes) : texts.early(-minutes);
  return (
    <span class="delay" data-punctuality={rateDelay(minutes)}>
      <span aria-hidden="true">{minutes > 0 ? `+${minutes}` : `−${-minutes}`}</span>
      <span class="visually-hidden">{sentence}</span>
    </span>
  );
}
