/** Path of the page's data. */
export const EXPLORE_DATA = '/site/data/explore';

/** Rows that the page shows. */
export const MAX_SHOWN_ROWS = 500;
/** Rows of a file. */
export const MAX_FILE_ROWS = 100_000;
export const MAX_SQL_CHARACTERS = 6000;
/** Time limit of a statement; shorter than that of a request. */
export const EXPLORE_SECONDS = 10;
