import type { Platform, TimeInfo } from '../../contract/v2-basics.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import { boardTexts } from '../texts/boards.ts';
import type { Language } from '../texts/languages.ts';
import { rateDelay, type ShownTime, showTime } from '../view-model/shown-time.ts';

/** The estimated time, and the scheduled time if it differs. */
export function callTime({ planned, clock, delayMinutes }: ShownTime, language: Language, isCancelled = false): Html {
  if (isCancelled) return html`<span class="call-time"><s>${planned ?? clock}</s></span>`;
  const before =
    planned === null
      ? nothing
      : html`<s><span class="visually-hidden">${boardTexts[language].scheduled} </span>${planned}</s>`;
  return html`<span class="call-time" data-punctuality="${rateDelay(delayMinutes)}">${before}<strong>${clock}</strong></span>`;
}

/** The time of a departure or arrival; empty if unknown. */
export function tripTime(time: TimeInfo | undefined, language: Language): Html {
  const shown = time ? showTime(time) : null;
  return shown === null ? nothing : callTime(shown, language);
}

/** A number, and a sentence for screen readers. */
export function delay(minutes: number | null, language: Language): Html {
  const texts = boardTexts[language];
  const hidden = (text: string) => html`<span class="visually-hidden">${text}</span>`;
  if (minutes === null) return hidden(texts.plannedOnly);
  if (minutes === 0) return hidden(texts.onTime);
  const sentence = minutes > 0 ? texts.late(minutes) : texts.early(-minutes);
  const sign = minutes > 0 ? `+${minutes}` : `−${-minutes}`;
  return html`<span class="delay" data-punctuality="${rateDelay(minutes)}"><span aria-hidden="true">${sign}</span>${hidden(sentence)}</span>`;
}

/** The platform of a call; empty if unknown. */
export function platform({ text, scheduledText, changed }: Platform, language: Language): Html {
  const texts = boardTexts[language];
  const shown = text ?? scheduledText;
  if (shown === undefined) return nothing;
  if (changed && scheduledText !== undefined) {
    return html`<span class="state" data-state="warn">${texts.platformInstead(shown, scheduledText)}</span>`;
  }
  return html`<span class="platform">${texts.platform} <bdi>${shown}</bdi></span>`;
}
