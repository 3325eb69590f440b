import type { RefusalCase } from './refusals.ts';

const stops = `
        stop_id,stop_name,stop_lat,stop_lon,zone_id
        a,Anger,48.0,16.0,1
        b,Berg,48.0,16.1,2
        c,Kirche,48.0,16.2,
        `;

/** Tables of fares with one bad row per reason. */
export const fareRefusalCases: readonly RefusalCase[] = [
  {
    sql: 'fares',
    files: {
      'stops.txt': stops,
      'fare_attributes.txt': `
        fare_id,price,currency_type,transfers,agency_id,transfer_duration
        good,2.50,EUR,,v,3600
        free,0,eur,0,,
        long,.5,EUR,12,,
        ,2.50,EUR,,,
        good,2.60,EUR,,,
        no-price,,EUR,,,
        comma,"2,50",EUR,,,
        negative,-1,EUR,,,
        much,12345678901,EUR,,,
        exponent,1e3,EUR,,,
        money,2.50,€,,,
        no-money,2.50,,,,
        often,2.50,EUR,-1,,
        oftener,2.50,EUR,1000,,
        soon,2.50,EUR,,,an hour
        stranger,2.50,EUR,,nobody,
        surplus,2.50,EUR,,,,what
        `,
      'fare_rules.txt': `
        fare_id,route_id,origin_id,destination_id,contains_id
        good,r,1,2,
        good,r,1,2,1
        free,,,,
        ,r,,,
        no-fare,r,,,
        comma,r,,,
        good,no-route,,,
        good,r,3,,
        good,r,,3,
        good,r,,,3
        good,r,1,2,
        good,r,2,1,,what
        `,
    },
    refused: [
      'fare_attributes 4 missing_id',
      'fare_attributes 5 duplicate_id',
      'fare_attributes 6 bad_price',
      'fare_attributes 7 bad_price',
      'fare_attributes 8 bad_price',
      'fare_attributes 9 bad_price',
      'fare_attributes 10 bad_price',
      'fare_attributes 11 bad_currency',
      'fare_attributes 12 bad_currency',
      'fare_attributes 13 bad_transfers',
      'fare_attributes 14 bad_transfers',
      'fare_attributes 15 bad_duration',
      'fare_attributes 16 unknown_agency',
      'fare_attributes 17 too_many_values',
      'fare_rules 4 unknown_fare',
      'fare_rules 5 unknown_fare',
      'fare_rules 6 unknown_fare',
      'fare_rules 7 unknown_route',
      'fare_rules 8 unknown_zone',
      'fare_rules 9 unknown_zone',
      'fare_rules 10 unknown_zone',
      'fare_rules 11 duplicate_row',
      'fare_rules 12 too_many_values',
    ],
    repaired: [],
  },
  {
    sql: 'fares_areas',
    files: {
      'areas.txt': `
        area_id,area_name
        west,West
        west,West again
        ,Nowhere
        surplus,Surplus,what
        `,
      'stop_areas.txt': `
        area_id,stop_id
        west,a
        west,b
        west,a
        no-area,a
        surplus,a
        west,no-stop
        west,c,what
        `,
      'networks.txt': `
        network_id,network_name
        city,City
        city,City again
        rail,Rail
        ,Nothing
        surplus,Surplus,what
        `,
      'route_networks.txt': `
        network_id,route_id
        no-network,r
        city,no-route
        city,r,what
        `,
    },
    refused: [
      'areas 2 duplicate_id',
      'areas 3 missing_id',
      'areas 4 too_many_values',
      'stop_areas 3 duplicate_row',
      'stop_areas 4 unknown_area',
      'stop_areas 5 unknown_area',
      'stop_areas 6 unknown_stop',
      'stop_areas 7 too_many_values',
      'networks 2 duplicate_id',
      'networks 4 missing_id',
      'networks 5 too_many_values',
      'route_networks 1 unknown_network',
      'route_networks 2 unknown_route',
      'route_networks 3 too_many_values',
    ],
    repaired: [],
  },
  {
    sql: 'fares_areas',
    files: {
      'networks.txt': 'network_id\ncity\nrail\n',
      'route_networks.txt': 'network_id,route_id\ncity,r\nrail,r\n',
    },
    refused: ['route_networks 2 duplicate_id'],
    repaired: [],
  },
  {
    sql: 'fares_products',
    files: {
      'rider_categories.txt': `
        rider_category_id,rider_category_name,is_default_fare_category
        adult,Adult,1
        child,Child,
        adult,Adult again,0
        ,Nobody,0
        maybe,Maybe,yes
        surplus,Surplus,0,what
        `,
      'fare_media.txt': `
        fare_media_id,fare_media_type
        paper,1
        paper,2
        ,3
        surplus,3,what
        `,
      'fare_products.txt': `
        fare_product_id,fare_product_name,rider_category_id,fare_media_id,amount,currency
        single,Single,adult,paper,2.50,EUR
        single,Single,child,paper,1.20,EUR
        single,Single,adult,app,2.40,EUR
        less,,,,-0.50,EUR
        ,Nothing,,,2.50,EUR
        single,Single,adult,paper,2.60,EUR
        cheap,Cheap,,,cheap,EUR
        much,Much,,,12345678901,EUR
        no-price,Unknown,,,,EUR
        money,Money,,,2.50,Euro
        pupil,Pupil,maybe,,2.50,EUR
        surplus,Surplus,,,2.50,EUR,what
        `,
    },
    refused: [
      'rider_categories 3 duplicate_id',
      'rider_categories 4 missing_id',
      'rider_categories 5 bad_default_category',
      'rider_categories 6 too_many_values',
      'fare_media 2 duplicate_id',
      'fare_media 3 missing_id',
      'fare_media 4 too_many_values',
      'fare_products 5 missing_id',
      'fare_products 6 duplicate_id',
      'fare_products 7 bad_price',
      'fare_products 8 bad_price',
      'fare_products 9 bad_price',
      'fare_products 10 bad_currency',
      'fare_products 11 unknown_rider_category',
      'fare_products 12 too_many_values',
    ],
    repaired: ['fare_products: 1 unknown_fare_media'],
  },
  {
    sql: 'fares_legs',
    files: {
      'networks.txt': 'network_id\ncity\n',
      'areas.txt': 'area_id\nwest\n',
      'fare_products.txt': 'fare_product_id,amount,currency\nsingle,2.50,EUR\nbad,much,EUR\n',
      'timeframes.txt': `
        timeframe_group_id,start_time,end_time,service_id
        peak,06:00:00,09:00:00,daily
        peak,16:00:00,24:00:00,daily
        always,,,daily
        ,06:00:00,09:00:00,daily
        night,06:00:00,09:00:00,no-service
        night,06:00:00,,daily
        night,,09:00:00,daily
        night,22:00:00,26:00:00,daily
        night,late,later,daily
        night,22:00:00,06:00:00,daily
        peak,6:00:00,09:00:00,daily
        night,00:00:00,06:00:00,daily,what
        `,
      'fare_leg_rules.txt': `
        leg_group_id,network_id,from_area_id,to_area_id,from_timeframe_group_id,to_timeframe_group_id,fare_product_id,rule_priority
        city,city,west,west,peak,always,single,3
        other,,,,,,single,
        city,city,,,,,,
        city,city,,,,,no-product,
        city,city,,,,,bad,
        city,rail,,,,,single,
        city,city,east,,,,single,
        city,city,,east,,,single,
        city,city,,,night,,single,
        city,city,,,,night,single,
        city,city,,,,,single,-1
        third,,,,,,single,
        city,city,,,,,single,,what
        `,
      'fare_leg_join_rules.txt': `
        from_network_id,to_network_id,from_stop_id,to_stop_id
        city,city,,
        city,city,a,b
        rail,city,,
        city,rail,,
        city,city,no-stop,b
        city,city,a,no-stop
        city,city,a,
        city,city,,b
        city,city,,
        city,city,b,a,what
        `,
      'fare_transfer_rules.txt': `
        from_leg_group_id,to_leg_group_id,transfer_count,duration_limit,duration_limit_type,fare_transfer_type,fare_product_id
        city,city,-1,3600,1,0,
        city,other,,,,2,single
        other,third,,,,0,
        third,other,,,,0,
        other,city,,,,0,bad
        other,city,,,,,
        other,city,,,,3,
        other,other,0,,,0,
        other,other,-2,,,0,
        other,other,,,,0,
        other,city,,0,1,0,
        other,city,,soon,1,0,
        other,city,,3600,,0,
        other,city,,3600,4,0,
        city,city,-1,3600,1,0,
        other,city,,,,0,,what
        `,
    },
    refused: [
      'timeframes 4 missing_id',
      'timeframes 5 unknown_service',
      'timeframes 6 bad_time',
      'timeframes 7 bad_time',
      'timeframes 8 bad_time',
      'timeframes 9 bad_time',
      'timeframes 10 ends_before_it_starts',
      'timeframes 11 duplicate_row',
      'timeframes 12 too_many_values',
      'fare_products 2 bad_price',
      'fare_leg_rules 3 unknown_product',
      'fare_leg_rules 4 unknown_product',
      'fare_leg_rules 5 unknown_product',
      'fare_leg_rules 6 unknown_network',
      'fare_leg_rules 7 unknown_area',
      'fare_leg_rules 8 unknown_area',
      'fare_leg_rules 9 unknown_timeframe',
      'fare_leg_rules 10 unknown_timeframe',
      'fare_leg_rules 11 bad_priority',
      'fare_leg_rules 12 duplicate_row',
      'fare_leg_rules 13 too_many_values',
      'fare_leg_join_rules 3 unknown_network',
      'fare_leg_join_rules 4 unknown_network',
      'fare_leg_join_rules 5 unknown_stop',
      'fare_leg_join_rules 6 unknown_stop',
      'fare_leg_join_rules 7 missing_stop',
      'fare_leg_join_rules 8 missing_stop',
      'fare_leg_join_rules 9 duplicate_row',
      'fare_leg_join_rules 10 too_many_values',
      'fare_transfer_rules 3 unknown_leg_group',
      'fare_transfer_rules 4 unknown_leg_group',
      'fare_transfer_rules 5 unknown_product',
      'fare_transfer_rules 6 bad_transfer_type',
      'fare_transfer_rules 7 bad_transfer_type',
      'fare_transfer_rules 8 bad_transfer_count',
      'fare_transfer_rules 9 bad_transfer_count',
      'fare_transfer_rules 10 missing_transfer_count',
      'fare_transfer_rules 11 bad_duration',
      'fare_transfer_rules 12 bad_duration',
      'fare_transfer_rules 13 bad_duration_type',
      'fare_transfer_rules 14 bad_duration_type',
      'fare_transfer_rules 15 duplicate_row',
      'fare_transfer_rules 16 too_many_values',
    ],
    repaired: [],
  },
];
