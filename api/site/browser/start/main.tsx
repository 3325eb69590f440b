import { createPortal } from 'preact';
import type { V1Status } from '../../../contract/v1.ts';
import { startTexts } from '../../texts/start.ts';
import { statusTexts } from '../../texts/status.ts';
import { usePolled } from '../live/use-polled.ts';
import { pageLanguage } from '../page/language.ts';
import { findPlace, mount } from '../page/mount.ts';
import { StopSearch } from '../stop-search/stop-search.tsx';
import { Areas } from './areas.tsx';
import { Sources } from './sources.tsx';
import './start.css';

const STATUS_SECONDS = 20;
const language = pageLanguage();

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
