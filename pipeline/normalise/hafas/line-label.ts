/** The kind of vehicle before a line's name; boards show it as a sign. */
const VEHICLE_WORD = /^(?:bus|tram|str|stb|straßenbahn|u-bahn|s-bahn|fähre|schiff|ast)\s+(?=\S)/i;
const SPACED_NUMBER = /^([US])\s+(\d+)$/;

/** What riders call a line: `Bus 13A` is 13A, `U      6` is U6; null for none. */
export function toLineLabel(name: string | null): string | null {
  const label = (name ?? '').trim().replace(VEHICLE_WORD, '').replace(SPACED_NUMBER, '$1$2').replace(/\s+/g, ' ');
  return label === '' ? null : label;
}
