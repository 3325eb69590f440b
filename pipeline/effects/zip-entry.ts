/**
 * How files go into a zip that we pack ourselves, so that the same content gives the same bytes everywhere: the first
 * moment that a zip can name. An entry holds what a local clock shows, so a fixed clock reading, not a fixed instant, is
 * the same in every zone (hence the one local date of the project); and no "universal timestamp" field beside it, which
 * would hold that reading as an instant.
 */
export const zipEntryOptions = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true } as const;
