import type { Platform as PlatformInfo } from '../../../contract/v2-basics.ts';
import { boardTexts } from '../../texts/boards.ts';
import { findShownPlatform } from '../../view-model/board-words.ts';
import { pageLanguage } from '../page/language.ts';

/** The platform of a call, highlighted if it changed; empty if unknown. */
export function Platform({ platform }: { readonly platform: PlatformInfo }) {
  const texts = boardTexts[pageLanguage()];
  const shown = findShownPlatform(platform);
  if (shown === null) return null;
  if (shown.insteadOf !== null) {
    return (
      <span class="state" data-state="warn">
        {texts.platformInstead(shown.name, shown.insteadOf)}
      </span>
    );
  }
  return (
    <span class="platform">
      {texts.platform} <bdi>{shown.name}</bdi>
    </span>
  );
}
