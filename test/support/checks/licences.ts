/** Licences under which a program may be passed on, together with ours, without its sources. */
export const permissiveLicences = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'],
  '(MIT AND BSD-3-Clause)',
];

/** Each other one, by package, as its metadata state it, and why it may be there all the same. */
export const reviewedLicences: Readonly<Record<string, readonly [stated: string, reason: string]>> = {
  '@derhuerst/round-robin-scheduler': ['LAGPL', 'its license.md is the text of ISC; no such licence as stated exists'],
  'gps-distance': ['BSD', 'its LICENSE is a BSD text; the metadata leave out which'],
  slugg: ['BSD', 'a BSD licence; the metadata leave out which'],
  'web-push': ['MPL-2.0', 'copyleft by file: its files are used as they are published'],
};
