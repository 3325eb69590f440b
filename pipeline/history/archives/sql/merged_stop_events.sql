-- The rows of an archive merged with those of other archives for the day (view rows_of_before): the new rows (view
-- rows_of_day) replace those of the same call, and those of an archive of the same name.
select * from rows_of_day

union all by name

-- Rows of former schemas have no key.
select old.* replace (coalesce(old.trip_key, trip_key_of(old.trip_id)) as trip_key)
from rows_of_before as old
anti join rows_of_day as new on old.trip_id = new.trip_id and old.position = new.position
where not starts_with(coalesce(old.raw_id, ''), getvariable('archive_name') || '@')
