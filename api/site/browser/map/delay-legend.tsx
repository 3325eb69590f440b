import { mapPageTexts } from '../../texts/map.ts';
import { delayClasses } from '../../view-model/vehicle-delay.ts';
import { pageLanguage } from '../page/language.ts';

/** Explains the colours and sizes of the vehicles. */
export function DelayLegend() {
  const { legend, delays } = mapPageTexts[pageLanguage()];
  return (
    <ul class="delay-legend" aria-label={legend}>
      {delayClasses.map((kind) => (
        <li key={kind}>
          <span class="delay-dot" data-delay={kind} aria-hidden="true" />
          {delays[kind]}
        </li>
      ))}
    </ul>
  );
}
