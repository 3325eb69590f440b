-- What a clock reading means on the day that the variables describe: `clock` is `utc`, it is a moment; else the
-- zone's clocks are `seconds_before` ahead of UTC until `changes_at`, and `seconds_after` from then on. A reading that
-- comes twice is the first of the two unless `is_second`; one that no clock shows is read by the clocks of before.
create or replace macro to_moment(reading, is_second) as case
    when getvariable('clock') = 'utc' then reading
    when
        reading - to_seconds(getvariable('seconds_after')) >= getvariable('changes_at')
        and (is_second or reading - to_seconds(getvariable('seconds_before')) >= getvariable('changes_at'))
        then reading - to_seconds(getvariable('seconds_after'))
    else reading - to_seconds(getvariable('seconds_before'))
end
