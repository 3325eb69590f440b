-- Reads a time of an archive whose `clock` is local time or UTC. Null for an invalid one.
create or replace macro clock_reading(value) as
    case when getvariable('clock') != 'service' then try_cast(value as timestamp) end
