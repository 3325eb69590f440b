/**
 * The files of a GTFS feed and their columns. A file of this list becomes a table of the lake with all of its columns,
 * known or not; staging may select the columns named here even when a feed lacks them.
 * @see GTFS Schedule reference, "Dataset Files"
 */
export const gtfsTables = {
  agency: ['agency_id', 'agency_name', 'agency_timezone'],
  stops: [
    'stop_id',
    'stop_code',
    'stop_name',
    'stop_lat',
    'stop_lon',
    'location_type',
    'parent_station',
    'platform_code',
    'wheelchair_boarding',
    'zone_id',
    'stop_timezone',
  ],
  routes: [
    'route_id',
    'agency_id',
    'route_short_name',
    'route_long_name',
    'route_type',
    'route_color',
    'route_text_color',
    'route_sort_order',
    'network_id',
  ],
  trips: [
    'trip_id',
    'route_id',
    'service_id',
    'trip_headsign',
    'trip_short_name',
    'direction_id',
    'block_id',
    'shape_id',
    'wheelchair_accessible',
    'bikes_allowed',
  ],
  stop_times: [
    'trip_id',
    'arrival_time',
    'departure_time',
    'stop_id',
    'stop_sequence',
    'stop_headsign',
    'pickup_type',
    'drop_off_type',
    'shape_dist_traveled',
    'timepoint',
    'location_group_id',
    'location_id',
    'start_pickup_drop_off_window',
    'pickup_booking_rule_id',
    'drop_off_booking_rule_id',
  ],
  calendar: [
    'service_id',
    'monday',
    'tuesday',
    'wednesday',
    'thursday',
    'friday',
    'saturday',
    'sunday',
    'start_date',
    'end_date',
  ],
  calendar_dates: ['service_id', 'date', 'exception_type'],
  shapes: ['shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence', 'shape_dist_traveled'],
  frequencies: ['trip_id', 'start_time', 'end_time', 'headway_secs', 'exact_times'],
  transfers: [
    'from_stop_id',
    'to_stop_id',
    'transfer_type',
    'min_transfer_time',
    'from_route_id',
    'to_route_id',
    'from_trip_id',
    'to_trip_id',
  ],
  feed_info: ['feed_publisher_name', 'feed_lang', 'feed_start_date', 'feed_end_date', 'feed_version'],
  fare_attributes: ['fare_id', 'price', 'currency_type', 'transfers', 'agency_id', 'transfer_duration'],
  fare_rules: ['fare_id', 'route_id', 'origin_id', 'destination_id', 'contains_id'],
  timeframes: ['timeframe_group_id', 'start_time', 'end_time', 'service_id'],
  rider_categories: ['rider_category_id', 'is_default_fare_category'],
  fare_media: ['fare_media_id'],
  fare_products: ['fare_product_id', 'fare_product_name', 'rider_category_id', 'fare_media_id', 'amount', 'currency'],
  fare_leg_rules: [
    'leg_group_id',
    'network_id',
    'from_area_id',
    'to_area_id',
    'from_timeframe_group_id',
    'to_timeframe_group_id',
    'fare_product_id',
    'rule_priority',
  ],
  fare_leg_join_rules: ['from_network_id', 'to_network_id', 'from_stop_id', 'to_stop_id'],
  fare_transfer_rules: [
    'from_leg_group_id',
    'to_leg_group_id',
    'transfer_count',
    'duration_limit',
    'duration_limit_type',
    'fare_transfer_type',
    'fare_product_id',
  ],
  areas: ['area_id'],
  stop_areas: ['area_id', 'stop_id'],
  networks: ['network_id'],
  route_networks: ['network_id', 'route_id'],
  pathways: [],
  levels: [],
  location_groups: ['location_group_id', 'location_group_name'],
  location_group_stops: [],
  booking_rules: ['booking_rule_id', 'phone_number', 'info_url', 'booking_url'],
  translations: [
    'table_name',
    'field_name',
    'language',
    'translation',
    'record_id',
    'field_value',
    // Google's format before translations.txt became part of GTFS.
    'trans_id',
    'lang',
  ],
  attributions: [],
} as const satisfies Record<string, readonly string[]>;

export type GtfsTable = keyof typeof gtfsTables;

export function isGtfsTable(name: string): name is GtfsTable {
  return Object.hasOwn(gtfsTables, name);
}

/** Files without which trips would run on other days or at other times than published. */
const essentialTables: readonly GtfsTable[] = [
  'agency',
  'stops',
  'routes',
  'trips',
  'stop_times',
  'calendar',
  'calendar_dates',
  'frequencies',
];

/** Whether a feed is refused if this file is unreadable, instead of being published without it. */
export function isEssentialTable(table: GtfsTable): boolean {
  return essentialTables.includes(table);
}
