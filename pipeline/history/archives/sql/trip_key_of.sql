-- The key of a trip, as `hashTrip` computes it: the first 64 bits of the MD5 of source and trip id, as a signed number.
create or replace macro trip_key_of(trip_id) as
    md5_number_upper(concat(getvariable('key_source'), chr(31), trip_id))::bit::bigint
