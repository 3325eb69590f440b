import { MAX_MEASURED_METERS, MAX_METERS_TO_STREET, MAX_WALK_METERS } from './walk-router.ts';

/** Most places that one question measures walks to. */
export const MAX_PLACES_ASKED = 100;

/** Crossings that a search through a few kilometres of a city looks at. */
const KEPT_LABELS = 50_000;

/** The engine's own reckoning of distances may differ a little from ours, which has decided before. */
const MARGIN = 1.05;

/**
 * What the builder of tiles needs to know, beyond its defaults: a graph for walkers alone, of one level, for the
 * engine's levels and shortcuts are there for long ways by car.
 * @param tileDir the folder to be filled
 */
export function builderConfig(tileDir: string) {
  return {
    mjolnir: {
      tile_dir: tileDir,
      include_driving: false,
      include_bicycle: false,
      include_platforms: true,
      hierarchy: false,
      shortcuts: false,
      data_processing: { grid_divisions_within_tile: 32 },
      logging: { type: 'std_out', color: false },
    },
  };
}

/**
 * What the engine cannot be opened without; all else has defaults. Limits of services that we do not ask must be there
 * all the same.
 * @param tiles file of all tiles, which is mapped into memory and shared by all who have it open
 */
export function engineConfig(tiles: string) {
  return {
    mjolnir: {
      tile_extract: tiles,
      // The tiles lie in the mapped file. What the cache holds is little, and its other form takes 10 MB at once.
      use_simple_mem_cache: true,
      max_cache_size: 4_000_000,
      logging: { type: '' },
    },
    loki: {
      actions: ['route', 'sources_to_targets', 'locate'],
      service_defaults: {
        // From pieces of footway that nobody has joined to a street, one goes to the next real street.
        minimum_reachability: 50,
        radius: 0,
        search_cutoff: MAX_METERS_TO_STREET,
        // Metres; else who stands beside a crossing would be told to turn at it.
        node_snap_tolerance: 5,
        street_side_tolerance: 5,
        street_side_max_distance: 1000,
        heading_tolerance: 60,
      },
    },
    thor: {
      source_to_target_algorithm: 'timedistancematrix',
      // Room kept from one search to the next; a long way may take more for once.
      max_reserved_labels_count_astar: KEPT_LABELS,
      max_reserved_labels_count_bidir_astar: KEPT_LABELS,
      max_reserved_labels_count_dijkstras: KEPT_LABELS,
      max_reserved_labels_count_bidir_dijkstras: KEPT_LABELS,
    },
    meili: { default: { breakage_distance: 2000 } },
    service_limits: {
      pedestrian: {
        max_distance: MAX_WALK_METERS * MARGIN,
        max_locations: MAX_PLACES_ASKED + 1,
        max_matrix_distance: MAX_MEASURED_METERS * MARGIN,
        max_matrix_location_pairs: MAX_PLACES_ASKED,
        min_transit_walking_distance: 1,
        max_transit_walking_distance: 10_000,
      },
      allow_hard_exclusions: true,
      max_reachability: 50,
      max_radius: 200,
      max_exclude_locations: 0,
      max_exclude_polygons_length: 0,
      max_alternates: 0,
      isochrone: { max_contours: 1, max_time_contour: 1, max_distance_contour: 1, max_locations: 1, max_distance: 1 },
      trace: {
        max_shape: 1,
        max_distance: 1,
        max_gps_accuracy: 1,
        max_search_radius: 1,
        max_alternates: 0,
        max_alternates_shape: 1,
      },
      skadi: { max_shape: 1, min_resample: 10 },
    },
  };
}
