import type { Page } from '../shell/page.ts';
import { departureBoardPage } from './departure-board.ts';
import { docsPage } from './docs.ts';
import type { Example } from './examples.ts';
import { explorePage } from './explore.ts';
import { guidesPage } from './guides.ts';
import { journeysPage } from './journeys.ts';
import { linePage, linesPage } from './lines.ts';
import { mapPage } from './map.ts';
import { networkMapsPage } from './network-maps.ts';
import { offlinePage } from './offline.ts';
import { predictionsPage } from './predictions.ts';
import { problemsPage } from './problems.ts';
import { punctualityPage } from './punctuality.ts';
import { linePunctualityPage, stopPunctualityPage } from './punctuality-pages.ts';
import { startPage } from './start.ts';
import { stationMapPage } from './station-map.ts';
import { stopsPage } from './stops.ts';
import { tripRecordPage } from './trip-record.ts';
import { tripsPage } from './trips.ts';
import { wallPage } from './wall.ts';

/** Inputs of pages besides the facts of a request. */
interface PageParts {
  /** Example requests for the loaded timetable. */
  readonly examples: readonly Example[];
  /** The text of `departure-board.mjs`. */
  readonly boardProgram: string;
  /** Whether the lake may be queried. */
  readonly hasExplore: boolean;
}

/** Lists all pages in menu order; pages without a menu name are not in the menu. */
export function listPages({ examples, boardProgram, hasExplore }: PageParts): readonly Page[] {
  return [
    startPage(examples),
    stopsPage,
    wallPage,
    journeysPage,
    tripsPage,
    mapPage,
    linesPage,
    linePage,
    networkMapsPage,
    punctualityPage,
    linePunctualityPage,
    stopPunctualityPage,
    stationMapPage,
    tripRecordPage,
    predictionsPage,
    offlinePage,
    departureBoardPage(boardProgram),
    guidesPage,
    docsPage,
    problemsPage,
    ...(hasExplore ? [explorePage] : []),
  ];
}
