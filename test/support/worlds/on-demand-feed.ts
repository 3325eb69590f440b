/**
 * Calls on demand at fixed stops, as Austrian publishers write them: a call-bus with fixed departures, written as windows
 * that begin and end at once; a bus whose last stop, a meeting point, is served on demand only; a bus that is booked on an
 * earlier day of school; and rules without a deadline.
 */
export const bookedFeed = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  a,Anger,48.00,16.00
  b,Berg,48.02,16.02
  c,Dorf,48.04,16.04
  m,Sammelpunkt,48.06,16.06
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  ast,v,AST 1,715
  bus,v,7,3
  school,v,8,3
  free,v,9,3
  # trips.txt
  trip_id,route_id,service_id
  ast8,ast,daily
  ast9,ast,daily
  bus8,bus,daily
  bus9,bus,daily
  school,school,daily
  free,free,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_type,drop_off_type,pickup_booking_rule_id,drop_off_booking_rule_id
  ast8,a,1,,,08:00:00,08:00:00,2,1,hour,
  ast8,b,2,,,8:15:00,08:15:00,2,2,hour,hour
  ast8,c,3,,,08:30:00,08:30:00,1,2,,hour
  ast9,a,1,09:00:00,09:00:00,,,2,1,hour,
  ast9,b,2,09:15:00,09:15:00,,,2,2,hour,hour
  ast9,c,3,09:30:00,09:30:00,,,1,2,,hour
  bus8,b,1,08:10:00,08:10:00,,,,,,
  bus8,c,2,08:20:00,08:20:00,,,,,,
  bus8,m,3,08:30:00,08:30:00,,,1,2,,half
  bus9,b,1,09:10:00,09:10:00,,,,,,
  bus9,c,2,09:20:00,09:20:00,,,,,,
  bus9,m,3,09:30:00,09:30:00,,,1,2,,half
  school,a,1,13:00:00,13:00:00,,,2,,before,
  school,m,2,13:20:00,13:20:00,,,,,,
  free,a,1,14:00:00,14:00:00,,,2,,phone,
  free,m,2,14:20:00,14:20:00,,,,,,
  # booking_rules.txt
  booking_rule_id,booking_type,prior_notice_duration_min,prior_notice_last_day,prior_notice_last_time,prior_notice_service_id,message,pickup_message,drop_off_message,phone_number,info_url,booking_url
  hour,1,60,,,,Bitte anrufen.,,,+43 1 234,https://example.org/ast,https://example.org/buchen
  half,1,30,,,,,,Bis vor die Haustür.,+43 1 234,,
  before,2,,1,16:00:00,school,,,,,javascript:alert(1),
  phone,0,,,,,,,,+43 9,,
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260315
  school,1,1,1,1,1,0,0,20260302,20260315
`;
