-- Reads a time of an archive whose `clock` is the service day: seconds from noon minus 12 h, from a number or
-- `26:30:00`. Null for an invalid one.
create or replace macro service_seconds(value) as case
    when getvariable('clock') != 'service' then null::integer
    when regexp_full_match(value::varchar, '\d{1,3}:[0-5]\d:[0-5]\d')
        then
            split_part(value::varchar, ':', 1)::integer * 3600
            + split_part(value::varchar, ':', 2)::integer * 60
            + split_part(value::varchar, ':', 3)::integer
    else try_cast(value::varchar as integer)
end
