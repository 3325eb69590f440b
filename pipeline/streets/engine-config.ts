import type { StreetMode } from './published-streets.ts';
import { MAX_RIDE_METERS } from './vehicle-router.ts';
import { MAX_MEASURED_METERS, MAX_METERS_TO_STREET, MAX_WALK_METERS } from './walk-router.ts';

/** Maximum number of places of one distance request: on foot, and by bicycle or car. */
export const MAX_MATRIX_PLACES = 100;
export const MAX_VEHICLE_MATRIX_PLACES = 400;

/** Nodes that a search through a few kilometres of a city visits. */
const KEPT_LABELS = 50_000;

/** The engine computes distances slightly differently; Taktgeber's own computation has already decided. */
const MARGIN = 1.05;

/**
 * Options of the tile builder that differ from its defaults: a graph of a single level, because levels and shortcuts
 * serve routes by car that are longer than those to a station.
 * @param tileDir the folder for the tiles
 */
export function builderConfig(tileDir: string, modes: readonly StreetMode[]) {
  return {
    mjolnir: {
      tile_dir: tileDir,
      include_driving: modes.includes('car'),
      include_bicycle: modes.includes('bike'),
      include_platforms: true,
      hierarchy: false,
      shortcuts: false,
      data_processing: { grid_divisions_within_tile: 32 },
      logging: { type: 'std_out', color: false },
    },
  };
}

/**
 * Options required to open the engine; all others have defaults. Limits are required even for services that are not
 * used.
 * @param tiles file of all tiles, which is mapped into memory and shared by all processes that have it open
 */
export function engineConfig(tiles: string) {
  return {
    mjolnir: {
      tile_extract: tiles,
      // The tiles are in the mapped file; the cache is hardly used, and its other form takes 10 MB at once.
      use_simple_mem_cache: true,
      max_cache_size: 4_000_000,
      logging: { type: '' },
    },
    loki: {
      actions: ['route', 'sources_to_targets', 'locate'],
      service_defaults: {
        // Footways that are not connected to a street are left for the nearest connected street.
        minimum_reachability: 50,
        radius: 0,
        search_cutoff: MAX_METERS_TO_STREET,
        // Metres; otherwise, instructions starting beside a crossing would begin with a turn.
        node_snap_tolerance: 5,
        street_side_tolerance: 5,
        street_side_max_distance: 1000,
        heading_tolerance: 60,
      },
    },
    thor: {
      source_to_target_algorithm: 'timedistancematrix',
      // Memory kept between searches; a long walk may temporarily take more.
      max_reserved_labels_count_astar: KEPT_LABELS,
      max_reserved_labels_count_bidir_astar: KEPT_LABELS,
      max_reserved_labels_count_dijkstras: KEPT_LABELS,
      max_reserved_labels_count_bidir_dijkstras: KEPT_LABELS,
    },
    meili: { default: { breakage_distance: 2000 } },
    service_limits: {
      bicycle: vehicleLimits(MAX_RIDE_METERS.bike),
      auto: vehicleLimits(MAX_RIDE_METERS.car),
      pedestrian: {
        max_distance: MAX_WALK_METERS * MARGIN,
        max_locations: MAX_MATRIX_PLACES + 1,
        max_matrix_distance: MAX_MEASURED_METERS * MARGIN,
        max_matrix_location_pairs: MAX_MATRIX_PLACES,
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

function vehicleLimits(meters: number) {
  return {
    max_distance: meters * MARGIN,
    max_locations: MAX_VEHICLE_MATRIX_PLACES + 1,
    max_matrix_distance: meters * MARGIN,
    max_matrix_location_pairs: MAX_VEHICLE_MATRIX_PLACES,
  };
}
