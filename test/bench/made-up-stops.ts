/** A stop of a generated country. */
export interface MadeUpStop {
  readonly name: string;
  /** Town or village of the stop. */
  readonly place: string;
  readonly lat: number;
  readonly lon: number;
}

const TOWNS = (
  'Wien Graz Linz Salzburg Innsbruck Klagenfurt Villach Wels Dornbirn Steyr Feldkirch Bregenz Leonding Baden Leoben ' +
  'Krems Traun Amstetten Kapfenberg Mödling Hallein Kufstein Traiskirchen Schwechat Braunau Stockerau Saalfelden Telfs'
).split(' ');
const HEADS = (
  'Ober Unter Neu Alt Groß Klein Kirch Mitter Hinter Vorder Wald Wiesen Stein Berg Brunn Hof Mühl Bach Eich Buch Linden ' +
  'Föhren Hirsch Reh Fuchs Wolf Adler Falken Rosen Veilchen Sonnen Mond Stern Gold Silber Eisen Kupfer Salz Sand Lehm ' +
  'Kalten Warm Hoch Tief Lang Kurz Breiten Schmal Schwarz Weiß Rot Grün Franzens Josef Maria Leopold Ferdinand Karl ' +
  'Heinrich Rudolf Ulrichs Florians Georgs Martins Niklas Peters Pauls Lorenzen Stefans Matthias Jakobs Annen Barbara'
).split(' ');
const TAILS = (
  'dorf berg bach feld hofen kirchen stetten heim ing au see tal stein burg markt brunn wald wang ried egg eben leiten ' +
  'schlag reith bruck furt mühle graben haus kreuz boden eck moos winkel'
).split(' ');
const WAYS = 'straße gasse platz weg allee ring steig siedlung brücke hof park'.split(' ');
const SPOTS = (
  'Bahnhof|Hauptplatz|Ort|Ortsmitte|Gemeindeamt|Kirche|Volksschule|Feuerwehr|Friedhof|Abzw.|Sportplatz|Gh Post|Siedlung|' +
  'Mitte|Industriestraße|Krankenhaus|Schulzentrum|Kreisverkehr|Bahnhst.|Talstation|Seebad|Bahnhofstr.|Wiener Str.|Lagerhaus'
).split('|');
const VILLAGES = HEADS.flatMap((head) => TAILS.map((tail) => head + tail));

/** Names of villages, each once. */
export function listVillages(): readonly string[] {
  return [...new Set(VILLAGES)];
}

/** Generates stops with names like Austrian ones; a third are near the capital, as dense as real ones. */
export function makeStops(count: number, random: () => number): MadeUpStop[] {
  const pick = <T>(list: readonly T[]) => pickFrom(list, random);
  return Array.from({ length: count }, () => {
    const isTown = random() < 0.35;
    const townNumber = Math.floor(random() ** 3 * TOWNS.length);
    const place = isTown ? TOWNS[townNumber]! : pick(VILLAGES);
    const isDense = isTown && townNumber === 0;
    const lat = isDense ? 48.1 + random() * 0.2 : 46.5 + random() * 2.4;
    const lon = isDense ? 16.2 + random() * 0.35 : 9.6 + random() * 7.4;
    return { name: makeName(place, pick, random), place, lat, lon };
  });
}

function makeName(place: string, pick: <T>(list: readonly T[]) => T, random: () => number): string {
  const kind = random();
  if (kind < 0.02) return `${place} Hbf`;
  if (kind < 0.35) return `${place} ${pick(SPOTS)}`;
  if (kind < 0.6) return `${place} ${pick(HEADS)}${pick(TAILS)}${pick(WAYS)}`;
  if (kind < 0.75) return `${pick(HEADS)}${pick(TAILS)}er ${pick(['Straße', 'Str.', 'Platz', 'Hauptstraße'])}`;
  if (kind < 0.85)
    return `St. ${pick(HEADS)} ${pick(['am', 'im', 'bei', 'ob'])} ${pick(HEADS)}${pick(TAILS)} ${pick(SPOTS)}`;
  if (kind < 0.95) return `${place} ${pick(HEADS)}${pick(TAILS)} ${pick(SPOTS)}`;
  return `${pick(HEADS)}${pick(TAILS)}-${pick(SPOTS)} ${1 + Math.floor(random() * 99)}`;
}

/** Name of a village, often a town nearby. */
export function makeVillageName(random: () => number): string {
  const name = pickFrom(VILLAGES, random);
  const kind = random();
  if (kind < 0.3) return `${name} ${pickFrom(['am', 'im', 'bei', 'ob'], random)} ${pickFrom(VILLAGES, random)}`;
  return kind < 0.4 ? `St. ${pickFrom(HEADS, random)}` : name;
}

export function makeStreetName(random: () => number): string {
  const [head, tail] = [pickFrom(HEADS, random), pickFrom(TAILS, random)];
  const kind = random();
  if (kind < 0.6) return `${head}${tail}${pickFrom(WAYS, random)}`;
  if (kind < 0.8) return `${head}${tail}er ${pickFrom(['Straße', 'Platz', 'Weg', 'Hauptstraße'], random)}`;
  return `${pickFrom(HEADS, random)}-${head}${tail}-${pickFrom(['Straße', 'Gasse', 'Platz', 'Weg'], random)}`;
}

export function pickFrom<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)]!;
}

/** A small seeded generator (mulberry32): the same numbers in every run. */
export function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
