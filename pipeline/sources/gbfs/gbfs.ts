import { defineSource } from '../define-source.ts';
import { address, optional, optionsSchema, text, texts } from '../option-schemas.ts';

export const gbfs = defineSource({
  kind: 'gbfs',
  archive: 'full',
  options: optionsSchema({
    url: address('The file for auto-discovery, `gbfs.json`, of one system.'),
    fileHosts: optional(texts('Hosts besides that of `url` from which its files are read.'), []),
    language: optional(text('Preferred language of names.'), 'de'),
  }),
  // Shared vehicles belong to no area of the service: only trips and the map use them.
  areas: () => [],
  create: async ({ options, ...setup }) => {
    const { createGbfsSource } = await import('./gbfs-source.ts');
    return createGbfsSource({ ...setup, ...options });
  },
});
