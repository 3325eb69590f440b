import type { ServiceDate } from '../model/service-time.ts';
import { gtfsDate, type Validity } from './calendar.ts';
import type { SampleTable } from './csv.ts';

/** What the feed says of itself, before anything else: that it is made up. */
export function buildFeedFacts(today: ServiceDate, { start, end }: Validity, seed: number): [string, SampleTable][] {
  return [
    [
      'feed_info.txt',
      {
        header: [
          'feed_publisher_name',
          'feed_publisher_url',
          'feed_lang',
          'feed_start_date',
          'feed_end_date',
          'feed_version',
        ],
        rows: [
          [
            'Taktgeber sample, made up',
            'https://example.org/taktgeber-sample',
            'de',
            gtfsDate(start),
            gtfsDate(end),
            `sample ${today} seed ${seed}`,
          ],
        ],
      },
    ],
    [
      'attributions.txt',
      {
        header: [
          'attribution_id',
          'organization_name',
          'is_producer',
          'is_operator',
          'is_authority',
          'attribution_url',
        ],
        rows: [
          [
            'places',
            'Stadt Wien - data.wien.gv.at, CC BY 4.0 (names and places of stops)',
            0,
            0,
            1,
            'https://data.wien.gv.at',
          ],
          ['times', 'Taktgeber sample (times, fares and frequencies are made up)', 1, 0, 0, ''],
        ],
      },
    ],
    [
      'translations.txt',
      {
        header: ['table_name', 'field_name', 'language', 'translation', 'record_id'],
        rows: [
          ['stops', 'stop_name', 'en', 'Vienna Central Station', 'at:49:1349'],
          ['stops', 'stop_name', 'en', 'Vienna West Station', 'at:49:1468'],
          ['stops', 'stop_name', 'en', 'Vienna Airport', 'at:43:flughafen-wien'],
          ['stops', 'stop_name', 'en', "St. Stephen's Square", 'at:49:1320'],
          ['stops', 'stop_name', 'en', 'Salzburg Central Station', 'at:45:salzburg'],
        ],
      },
    ],
  ];
}
