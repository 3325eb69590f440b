-- Instant of a local time: with `clock` = `utc` it is the instant itself; else the zone (a column of import_days) is
-- `seconds_before` ahead of UTC until `changes_at`, and `seconds_after` from then on. A repeated local time is the first
-- of the two unless `is_second`; a skipped one is read with the offset before the change.
create or replace macro to_instant(reading, is_second, zone) as case
    when getvariable('clock') = 'utc' then reading
    when
        reading - to_seconds(zone.seconds_after) >= zone.changes_at
        and (is_second or reading - to_seconds(zone.seconds_before) >= zone.changes_at)
        then reading - to_seconds(zone.seconds_after)
    else reading - to_seconds(zone.seconds_before)
end
