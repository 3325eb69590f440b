import type { HafasProductClass, HafasProfileData } from '../../formats/hafas/hafas-profile.ts';

function toProductClass(id: string, mode: string, name: string, ...bitmasks: readonly number[]): HafasProductClass {
  return { id, mode, name, short: name, bitmasks, default: true };
}

/**
 * Verkehrsauskunft Österreich as far as it is public: its clock, its products, its dialect. Address and key are the
 * operator's and come from the configuration; whoever has a key has agreed to its terms.
 */
export const vaoProfile: Omit<HafasProfileData, 'endpoint' | 'auth'> = {
  timezone: 'Europe/Vienna',
  locale: 'de-AT',
  defaultLanguage: 'de',
  ver: '1.39',
  ext: 'VAO.11',
  client: { type: 'WEB', id: 'VAO', name: 'webapp' },
  products: [
    toProductClass('train-and-s-bahn', 'train', 'Bahn & S-Bahn', 1, 2),
    toProductClass('u-bahn', 'train', 'U-Bahn', 4),
    toProductClass('tram', 'train', 'Straßenbahn', 16),
    toProductClass('long-distance-bus', 'bus', 'Fernbus', 32),
    toProductClass('regional-bus', 'bus', 'Regionalbus', 64),
    toProductClass('city-bus', 'bus', 'Stadtbus', 128),
    toProductClass('aerial-lift', 'gondola', 'Seil- und Zahnradbahn', 256),
    toProductClass('ferry', 'watercraft', 'Schiff', 512),
    toProductClass('on-call', 'taxi', 'Anrufsammeltaxi', 1024),
    toProductClass('other-bus', 'bus', 'Sonstige Busse', 2048),
  ],
};
