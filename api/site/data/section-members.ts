import { described, latitude, longitude } from '../../contract/schema-builders.ts';

/** Query parameters of a section of the map. */
export const sectionMembers = {
  minLat: described('South of the section.', latitude()),
  minLon: described('West of the section.', longitude()),
  maxLat: described('North of the section.', latitude()),
  maxLon: described('East of the section.', longitude()),
};
