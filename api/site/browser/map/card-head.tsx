import type { ComponentChildren } from 'preact';
import { mapPageTexts } from '../../texts/map.ts';
import { pageLanguage } from '../page/language.ts';

interface CardHeadProps {
  readonly name: string;
  /** Shown after the name. */
  readonly children?: ComponentChildren;
  readonly onClose: () => void;
}

/** The name of a place that was chosen on the map, and the button that closes its card. */
export function CardHead({ name, children, onClose }: CardHeadProps) {
  const { close } = mapPageTexts[pageLanguage()];
  return (
    <>
      <button type="button" class="close" aria-label={close} title={close} onClick={onClose}>
        <span aria-hidden="true">×</span>
      </button>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {children}
      </p>
    </>
  );
}
