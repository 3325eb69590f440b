import { startTexts } from '../../texts/start.ts';
import { pageLanguage } from '../page/language.ts';
import { mount } from '../page/mount.ts';
import { StopSearch } from '../stop-search/stop-search.tsx';

const texts = startTexts[pageLanguage()];

mount(
  'search',
  <StopSearch label={texts.search} onPick={({ id }) => location.assign(`/stops/${encodeURIComponent(id)}`)} />,
);
