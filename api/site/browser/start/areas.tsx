import { type ComponentId, componentIds } from '../../../contract/component-ids.ts';
import type { V1Status } from '../../../contract/v1.ts';
import { statusTexts } from '../../texts/status.ts';
import { pageLanguage } from '../page/language.ts';

type ComponentStatus = V1Status['components'][number]['status'];

const tones: Readonly<Record<ComponentStatus, string>> = {
  operational: 'good',
  degraded: 'warn',
  outage: 'bad',
  paused: 'none',
  unknown: 'none',
};

/** State of each area of the service; placeholders before the first answer. */
export function Areas({ status }: { readonly status: V1Status | null }) {
  const texts = statusTexts[pageLanguage()];
  const stateOf = (id: ComponentId) => status?.components.find((component) => component.id === id)?.status;
  return (
    <ul>
      {componentIds.map((id) => {
        const state = stateOf(id);
        return (
          <li key={id}>
            <span>{texts.components[id]}</span>
            <span class="state" data-state={state ? tones[state] : 'none'}>
              {state ? texts.states[state] : '…'}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
