import type { V1Status } from '../../../contract/v1.ts';
import { statusTexts } from '../../texts/status.ts';
import { useNow } from '../live/use-now.ts';
import { pageLanguage } from '../page/language.ts';
import { formatAge } from '../times/format-age.ts';

type Source = V1Status['sources'][number];

const tones: Readonly<Record<Source['status'], string>> = {
  fresh: 'good',
  stale: 'bad',
  standby: 'none',
  never: 'warn',
};

/** Age of each source, updated between two answers. */
export function Sources({ sources }: { readonly sources: readonly Source[] }) {
  const language = pageLanguage();
  const texts = statusTexts[language];
  const { columns } = texts;
  const now = useNow(1);
  const ageOf = ({ lastSuccessAt }: Source) =>
    lastSuccessAt === null ? texts.never : formatAge((now - Date.parse(lastSuccessAt)) / 1000, language);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{columns.source}</th>
          <th scope="col">{columns.state}</th>
          <th scope="col">{columns.last}</th>
          <th scope="col">{columns.licence}</th>
        </tr>
      </thead>
      <tbody>
        {sources.map((source) => (
          <tr key={source.id}>
            <th scope="row">{source.id}</th>
            <td>
              <span class="state" data-state={tones[source.status]}>
                {texts.sourceStates[source.status]}
              </span>
            </td>
            <td>{ageOf(source)}</td>
            <td>{source.licence ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
