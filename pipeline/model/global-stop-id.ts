/** A stop number assigned by a public register, so that all publishers use the same one. */
interface GlobalStopId {
  readonly register: 'ifopt' | 'uic';
  /** Of the station: its platforms share it. */
  readonly station: string;
}

/** IFOPT: country, area, station, then level and platform; publishers prefix the ids of parents: `Pat:49:1349`. */
const IFOPT = /(?:^P?|^Parent|[^a-z])([a-z]{2}:\d{1,5}:[a-z0-9_-]+)(?::|$)/i;
/** Numbers of Swiss stops have one part more. */
const SLOID = /(?:^P?|^Parent|[^a-z])(ch:1:sloid:\d+)(?::|$)/i;
/** UIC or EVA: country of the railway, then five digits of the station; a platform may follow: `8503000:0:3`. */
const UIC = /^0{0,2}(\d{2})(\d{5})(?:[:_].*)?$/;
/** Railways of Europe: Poland 51 to Denmark 86, France, Belgium and Portugal. */
const RAILWAY_COUNTRIES = new Set(
  '51 52 53 54 55 56 70 71 72 73 74 75 76 78 79 80 81 82 83 84 85 86 87 88 94'.split(' '),
);
/** DIVA: the city numbers stations in and around Vienna 602NNNNN; Austria's ids of them are at:49:N or at:43:N. */
const DIVA = /^602(\d{5})$/;
const DIVA_STATES = ['49', '43'];
/** HAFAS in Austria: state, number, platform; the same numbers as in IFOPT. */
const AUSTRIAN_HAFAS = /^0{0,2}(4[1-9])(\d{5})\d{2}$/;

/**
 * The registered numbers that an id or code of a stop may stand for.
 * @returns empty where the text has the form of no register, several where a number may belong to several areas; equal
 *   numbers of stops that are far apart may be a coincidence
 */
export function listGlobalStopIds(text: string): readonly GlobalStopId[] {
  if (text === '') return [];
  const ifopt = (SLOID.exec(text) ?? IFOPT.exec(text))?.[1];
  if (ifopt !== undefined) return [inIfopt(ifopt.toLowerCase())];
  const diva = DIVA.exec(text)?.[1];
  if (diva !== undefined) return DIVA_STATES.map((state) => inIfopt(`at:${state}:${diva}`));
  const [, state, number] = AUSTRIAN_HAFAS.exec(text) ?? [];
  if (number !== undefined) return [inIfopt(`at:${state}:${number}`)];
  const [, country, station] = UIC.exec(text) ?? [];
  if (country === undefined || !RAILWAY_COUNTRIES.has(country)) return [];
  return [{ register: 'uic', station: `${country}${station}` }];
}

/** Some publishers write leading zeros. */
function inIfopt(id: string): GlobalStopId {
  const parts = id.split(':').map((part) => part.replace(/^0+(?=\d)/, ''));
  return { register: 'ifopt', station: parts.join(':') };
}
