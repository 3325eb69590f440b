import type { Locator, Page } from 'playwright-core';

/** Actions of a rider on a page. Counts the taps. */
interface Rider {
  readonly page: Page;
  /** Number of taps, of the key Enter, and of choices from a list. */
  readonly taps: number;
  open(path: string): Promise<void>;
  tap(target: Locator): Promise<void>;
  /** Types into a field, letter by letter; the tap into the field counts. */
  type(target: Locator, text: string): Promise<void>;
  enter(): Promise<void>;
  choose(target: Locator, value: string): Promise<void>;
  see(target: Locator): Promise<void>;
}

const LETTER_MILLISECONDS = 30;

export function createRider(page: Page, url: string): Rider {
  let taps = 0;
  return {
    page,
    get taps() {
      return taps;
    },
    open: async (path) => void (await page.goto(url + path, { waitUntil: 'networkidle' })),
    async tap(target) {
      taps++;
      await target.first().click();
    },
    async type(target, text) {
      taps++;
      await target.first().click();
      await target.first().fill('');
      await target.first().pressSequentially(text, { delay: LETTER_MILLISECONDS });
    },
    async enter() {
      taps++;
      await page.keyboard.press('Enter');
    },
    async choose(target, value) {
      taps++;
      await target.first().selectOption(value);
    },
    see: (target) => target.first().waitFor({ state: 'visible' }),
  };
}

/** A task of a rider. */
export interface RiderTask {
  readonly name: string;
  /** Path of the first page. */
  readonly path: string;
  /** Ends when the answer is visible. */
  run(rider: Rider): Promise<void>;
}

// ---- Parts of tasks --------------------------------------------------------------------------------------------------

const rows = (page: Page) => page.locator('.board li');
const field = (page: Page, name: string) => page.getByRole('combobox', { name });
const suggestion = (page: Page, name: RegExp) => page.getByRole('option', { name });
const search = (page: Page) => page.getByRole('button', { name: 'Suchen', exact: true });

async function openBoard(rider: Rider, name: string): Promise<void> {
  await rider.type(rider.page.locator('#search [role=combobox]'), name);
  await rider.see(rider.page.getByRole('option'));
  await rider.enter();
  await rider.see(rows(rider.page));
}

async function searchTrip(rider: Rider, from: string, to: string): Promise<void> {
  const { page } = rider;
  await rider.type(field(page, 'Von'), from);
  await rider.type(field(page, 'Nach'), to);
  await rider.tap(search(page));
  await rider.see(page.locator('.option'));
}

async function openTrip(rider: Rider, from: string, to: string): Promise<void> {
  await searchTrip(rider, from, to);
  await rider.tap(rider.page.locator('.option .times a'));
  await rider.see(rider.page.locator('.chosen .legs'));
}

// ---- The tasks -------------------------------------------------------------------------------------------------------

export const riderTasks: readonly RiderTask[] = [
  {
    name: 'next departures of a stop, by name',
    path: '/',
    run: (rider) => openBoard(rider, 'Praterstern'),
  },
  {
    name: 'next departures of a stop from the list of large ones',
    path: '/',
    async run(rider) {
      await rider.tap(rider.page.locator('.chips a'));
      await rider.see(rows(rider.page));
    },
  },
  {
    name: 'next departures near me',
    path: '/stops',
    async run(rider) {
      await rider.tap(rider.page.getByRole('button', { name: 'In meiner Nähe' }));
      await rider.tap(rider.page.locator('.examples a'));
      await rider.see(rows(rider.page));
    },
  },
  {
    name: 'who arrives at a station',
    path: '/',
    async run(rider) {
      await openBoard(rider, 'Salzburg Hbf');
      await rider.tap(rider.page.getByText('Ankünfte', { exact: true }));
      await rider.page.waitForURL('**show=arrivals**');
      await rider.see(rows(rider.page));
    },
  },
  {
    name: 'departures of one line only',
    path: '/',
    async run(rider) {
      await openBoard(rider, 'Wien Meidling');
      await rider.tap(rider.page.locator('.stop-lines button', { hasText: 'U6' }));
      await rider.page.waitForURL('**line=U6**');
      await rider.see(rows(rider.page));
    },
  },
  {
    name: 'departures grouped by direction',
    path: '/',
    async run(rider) {
      await openBoard(rider, 'Wien Meidling');
      await rider.tap(rider.page.getByRole('button', { name: 'Nach Richtung' }));
      await rider.see(rider.page.locator('.board-group h2'));
    },
  },
  {
    name: 'mark a stop, and find it again',
    path: '/',
    async run(rider) {
      await openBoard(rider, 'Wien Meidling');
      await rider.tap(rider.page.getByRole('button', { name: 'Haltestelle merken' }));
      await rider.tap(rider.page.locator('.bar nav a', { hasText: 'Abfahrten' }));
      await rider.tap(rider.page.getByRole('link', { name: 'Wien Meidling', exact: true }));
      await rider.see(rows(rider.page));
    },
  },
  {
    name: 'where my train is, and when it arrives',
    path: '/',
    async run(rider) {
      await openBoard(rider, 'Wien Hbf');
      await rider.tap(rider.page.locator('.board a'));
      await rider.see(rider.page.locator('.call'));
    },
  },
  {
    name: 'a trip, names typed',
    path: '/trips',
    run: (rider) => searchTrip(rider, 'Stephansplatz', 'Schönbrunn'),
  },
  {
    name: 'a trip, places chosen from suggestions',
    path: '/trips',
    async run(rider) {
      const { page } = rider;
      await rider.type(field(page, 'Von'), 'Graz H');
      await rider.tap(suggestion(page, /Graz Hbf/));
      await rider.type(field(page, 'Nach'), 'Villach');
      await rider.tap(suggestion(page, /Villach Hbf/));
      await rider.tap(search(page));
      await rider.see(page.locator('.option'));
    },
  },
  {
    name: 'a trip from where I am',
    path: '/trips',
    async run(rider) {
      const { page } = rider;
      await rider.tap(page.getByRole('button', { name: 'Mein Standort' }));
      await rider.type(field(page, 'Nach'), 'Westbahnhof');
      await rider.see(page.getByRole('option'));
      await rider.enter();
      await rider.tap(search(page));
      await rider.see(page.locator('.option'));
    },
  },
  {
    name: 'be there at a time',
    path: '/trips',
    async run(rider) {
      const { page } = rider;
      await rider.tap(page.getByText('Ankunft bis', { exact: true }));
      await rider.type(field(page, 'Von'), 'Wien Meidling');
      await rider.type(field(page, 'Nach'), 'Salzburg Hbf');
      await rider.tap(search(page));
      await rider.see(page.locator('.option'));
    },
  },
  {
    name: 'the way back',
    path: '/trips',
    async run(rider) {
      const { page } = rider;
      await searchTrip(rider, 'Wien Meidling', 'Salzburg Hbf');
      await rider.tap(page.getByRole('button', { name: 'Ändern' }));
      await rider.tap(page.getByRole('button', { name: 'Start und Ziel tauschen' }));
      await page.waitForURL(/fromName=Salzburg/);
      await rider.see(page.locator('.option'));
    },
  },
  {
    name: 'the price of a trip',
    path: '/trips',
    async run(rider) {
      await searchTrip(rider, 'Wien Meidling', 'Salzburg Hbf');
      await rider.see(rider.page.locator('.option', { hasText: '€' }));
    },
  },
  {
    name: 'whether a change works out',
    path: '/trips',
    async run(rider) {
      await searchTrip(rider, 'Flughafen Wien Bahnhof', 'Linz Hauptplatz');
      await rider.tap(rider.page.locator('.option', { hasText: 'Umstieg' }).locator('.times a'));
      await rider.see(rider.page.locator('.chosen .transfer-line'));
    },
  },
  {
    name: 'a trip with a shared bicycle',
    path: '/trips',
    async run(rider) {
      const { page } = rider;
      await rider.choose(page.getByLabel('Zur Haltestelle'), 'sharedBike');
      await searchTrip(rider, 'Siebensterngasse', 'Friedrich-Engels-Platz');
    },
  },
  {
    name: 'a trip on the map',
    path: '/trips',
    async run(rider) {
      await openTrip(rider, 'Wien Meidling', 'Salzburg Hbf');
      await rider.see(rider.page.locator('.maplibregl-canvas'));
    },
  },
  {
    name: 'shared bicycles nearby',
    path: '/map?lat=48.2082&lon=16.3738&zoom=15',
    async run(rider) {
      await rider.see(rider.page.getByRole('heading', { name: 'Leihräder im Ausschnitt' }));
      await rider.see(rider.page.locator('.map-stops', { hasText: /Räder|Rad/ }));
    },
  },
  {
    name: 'how punctual my line is',
    path: '/',
    async run(rider) {
      const { page } = rider;
      await rider.tap(page.locator('.bar nav a', { hasText: 'Pünktlichkeit' }));
      await rider.type(page.getByLabel('Wie pünktlich ist meine Linie?'), 'U6');
      await rider.enter();
      await page.waitForURL('**/punctuality/lines/**');
      await rider.see(page.getByRole('heading', { level: 1, name: /U6/ }));
    },
  },
  {
    name: 'the timetable of a line',
    path: '/lines',
    async run(rider) {
      const { page } = rider;
      await rider.type(page.getByLabel('Linie oder Zugnummer'), 'U6');
      await rider.enter();
      await rider.tap(page.locator('main a', { hasText: 'U6' }));
      await rider.see(page.locator('table'));
    },
  },
];
