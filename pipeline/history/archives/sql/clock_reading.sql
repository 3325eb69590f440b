-- A time of an archive whose `clock` is a clock: what it shows. Null for what is none.
create or replace macro clock_reading(value) as
    case when getvariable('clock') != 'service' then try_cast(value as timestamp) end
