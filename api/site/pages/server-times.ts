import type { Platform, TimeInfo } from '../../contract/v2-basics.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import { boardTexts } from '../texts/boards.ts';
import type { Language } from '../texts/languages.ts';
import { describeDelay, findShownPlatform } from '../view-model/board-words.ts';
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
  const { sign, sentence } = describeDelay(minutes, language);
  const hidden = html`<span class="visually-hidden">${sentence}</span>`;
  if (sign === null) return hidden;
  return html`<span class="delay" data-punctuality="${rateDelay(minutes)}"><span aria-hidden="true">${sign}</span>${hidden}</span>`;
}

/** The platform of a call; empty if unknown. */
export function platform(call: Platform, language: Language): Html {
  const texts = boardTexts[language];
  const shown = findShownPlatform(call);
  if (shown === null) return nothing;
  const { name, insteadOf } = shown;
  if (insteadOf === null) return html`<span class="platform">${texts.platform} <bdi>${name}</bdi></span>`;
  return html`<span class="state" data-state="warn">${texts.platformInstead(name, insteadOf)}</span>`;
}
