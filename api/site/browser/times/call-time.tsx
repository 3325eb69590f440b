import { boardTexts } from '../../texts/boards.ts';
import { describeDelay } from '../../view-model/board-words.ts';
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
  const { sign, sentence } = describeDelay(minutes, pageLanguage());
  const hidden = <span class="visually-hidden">{sentence}</span>;
  if (sign === null) return hidden;
  return (
    <span class="delay" data-punctuality={rateDelay(minutes)}>
      <span aria-hidden="true">{sign}</span>
      {hidden}
    </span>
  );
}
