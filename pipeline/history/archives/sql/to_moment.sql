-- Instant of a local time on the day of the variables: with `clock` = `utc` it is the instant itself; else the zone is
-- `seconds_before` ahead of UTC until `changes_at`, and `seconds_after` from then on. A repeated local time is the
-- first of the two unless `is_second`; a skipped one is read with the offset before the change.
create or replace macro to_moment(reading, is_second) as case
    when getvariable('clock') = 'utc' then reading
    when
        reading - to_seconds(getvariable('seconds_after')) >= getvariable('changes_at')
        and (is_second or reading - to_seconds(getvariable('seconds_before')) >= getvariable('changes_at'))
        then reading - to_seconds(getvariable('seconds_after'))
    else reading - to_seconds(getvariable('seconds_before'))
end
