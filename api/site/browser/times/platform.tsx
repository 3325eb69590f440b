import type { Platform as PlatformInfo } from '../../../contract/v2-basics.ts';
import { boardTexts } from '../../texts/boards.ts';
import { pageLanguage } from '../page/language.ts';

/** The platform of a call, highlighted if it changed; empty if unknown. */
export function Platform({ platform: { text, scheduledText, changed } }: { readonly platform: PlatformInfo }) {
  const texts = boardTexts[pageLanguage()];
  const shown = text ?? scheduledText;
  if (shown === undefined) return null;
  if (changed && scheduledText !== undefined) {
    return (
      <span class="state" data-state="warn">
        {texts.platformInstead(shown, scheduledText)}
      </span>
    );
  }
  return (
    <span class="platform">
      {texts.platform} <bdi>{shown}</bdi>
    </span>
  );
}
