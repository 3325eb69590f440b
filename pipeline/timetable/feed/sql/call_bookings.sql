-- Booking rules of calls at stops: a separate table, because few calls have one.
create or replace temp table calls_to_book as
select trips_kept.trip_index, parsed.stop_sequence, pickup_booking_rule_id, drop_off_booking_rule_id
from text_stop_times as st
join calls_parsed as parsed on parsed.row_number = st.row_number
join trips_kept on trips_kept.old_index = parsed.trip_index
where parsed.refusal is null and (pickup_booking_rule_id is not null or drop_off_booking_rule_id is not null)
  and st.row_number not in (select row_number from refused where table_name = 'stop_times');

create or replace temp table call_bookings as
select
  trip_index,
  stop_sequence,
  pickup.booking_index as pickup_booking_index,
  drop_off.booking_index as drop_off_booking_index
from calls_to_book
left join booking_rules as pickup on pickup.booking_rule_id = pickup_booking_rule_id
left join booking_rules as drop_off on drop_off.booking_rule_id = drop_off_booking_rule_id
where pickup.booking_index is not null or drop_off.booking_index is not null;

insert into repaired
select 'stop_times', 'unknown_booking_rule', count(*)
from calls_to_book
where pickup_booking_rule_id not in (select booking_rule_id from booking_rules)
  or drop_off_booking_rule_id not in (select booking_rule_id from booking_rules);
