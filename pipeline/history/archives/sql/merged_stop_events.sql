-- The rows of an archive together with those that the day has from other archives (view rows_of_before): of a call that
-- both tell of, and of archives of the same name, the new rows count.
select * from new_stop_events

union all by name

-- Rows of former schemas have no key.
select old.* replace (coalesce(old.trip_key, trip_key_of(old.trip_id)) as trip_key)
from rows_of_before as old
anti join new_stop_events as new on old.trip_id = new.trip_id and old.position = new.position
where not starts_with(coalesce(old.raw_id, ''), getvariable('archive_name') || '@')
