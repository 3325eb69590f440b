import { createPortal } from 'preact';
import { type ComponentId, componentIds } from '../../../contract/component-ids.ts';
import type { V1Status } from '../../../contract/v1.ts';
import { startTexts } from '../../texts/start.ts';
import { statusTexts } from '../../texts/status.ts';
import { usePolled } from '../live/use-polled.ts';
import { pageLanguage } from '../page/language.ts';
import { findPlace, mount } from '../page/mount.ts';
import { StopSearch } from '../stop-search/stop-search.tsx';
import { Sources } from './sources.tsx';
import './start.css';

const STATUS_SECONDS = 20;
const language = pageLanguage();

type ComponentStatus = V1Status['components'][number]['status'];

const tones: Readonly<Record<ComponentStatus, string>> = {
  operational: 'good',
  degraded: 'warn',
  outage: 'bad',
  paused: 'none',
  unknown: 'none',
};

/** State of each area of the service; placeholders before the first answer. */
function Areas({ status }: { readonly status: V1Status | null }) {
  const texts = statusTexts[language];
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

/** One answer fills two containers: the sources are further down the page. */
function LiveStatus({ below }: { readonly below: Element }) {
  const { answer, error } = usePolled<V1Status>('/v1/status', STATUS_SECONDS);
  return (
    <>
      <Areas status={answer} />
      <p class="note" role="status">
        {error ? statusTexts[language].failed : ''}
      </p>
      {createPortal(<Sources sources={answer?.sources ?? []} />, below)}
    </>
  );
}

const open = (path: string) => location.assign(path);

mount(
  'search',
  <StopSearch
    label={startTexts[language].search}
    onPick={({ id }) => open(`/stops/${encodeURIComponent(id)}`)}
    onSearch={(text) => open(`/stops?query=${encodeURIComponent(text)}`)}
  />,
);
mount('areas', <LiveStatus below={findPlace('sources')} />);
