-- title: Swiss "Ist-Daten" of opentransportdata.swiss (CSV, one file a day)
-- source: swiss
-- format: csv
-- delimiter: ;
-- encoding: utf-8, latin-1
-- zone: Europe/Zurich
-- clock: local
-- order: scheduled_time

-- Older files are in Latin-1, now and then one among others that are not. The file has no number of the stop within its
-- run, so calls stand in the order of their times.
with archive_times as (
    select
        *,
        try_strptime(ANKUNFTSZEIT, ['%d.%m.%Y %H:%M', '%d.%m.%Y %H:%M:%S']) as scheduled_arrival,
        try_strptime(AN_PROGNOSE, ['%d.%m.%Y %H:%M:%S', '%d.%m.%Y %H:%M']) as arrival,
        try_strptime(ABFAHRTSZEIT, ['%d.%m.%Y %H:%M', '%d.%m.%Y %H:%M:%S']) as scheduled_departure,
        try_strptime(AB_PROGNOSE, ['%d.%m.%Y %H:%M:%S', '%d.%m.%Y %H:%M']) as departure
    from archive
)

select
    file_row_number,
    try_strptime(BETRIEBSTAG, '%d.%m.%Y') as service_date,
    FAHRT_BEZEICHNER as trip_id,
    LINIEN_ID as route_id,
    LINIEN_TEXT as line_label,
    case
        when upper(VERKEHRSMITTEL_TEXT) in ('S', 'SN') then 'sBahn'
        when upper(VERKEHRSMITTEL_TEXT) in ('R', 'RE', 'RB') then 'regionalTrain'
        when upper(PRODUKT_ID) = 'ZUG' then 'train'
        when upper(PRODUKT_ID) = 'TRAM' then 'tram'
        when upper(PRODUKT_ID) = 'METRO' then 'subway'
        when upper(PRODUKT_ID) = 'BUS' then 'cityBus'
        when upper(PRODUKT_ID) = 'SCHIFF' then 'ship'
        when upper(PRODUKT_ID) = 'ZAHNRADBAHN' then 'regionalTrain'
        when upper(PRODUKT_ID) in ('STANDSEILBAHN', 'KABINENBAHN', 'LUFTSEILBAHN') then 'cableway'
        else 'other'
    end as product,
    coalesce(BETREIBER_NAME, BETREIBER_ABK) as operator,
    case when upper(PRODUKT_ID) = 'ZUG' then concat_ws(' ', VERKEHRSMITTEL_TEXT, LINIEN_ID) end as trip_number,
    BPUIC as stop_id,
    HALTESTELLEN_NAME as stop_name,
    BPUIC as station_id,
    -- Text that is not a time is kept, so that its row is refused or its delay counted as unreadable.
    coalesce(scheduled_arrival::varchar, 'not a time: ' || ANKUNFTSZEIT) as arrival_scheduled,
    coalesce(arrival::varchar, 'not a time: ' || AN_PROGNOSE) as arrival_actual,
    -- Only REAL was measured; GESCHAETZT and PROGNOSE were worked out, and UNBEKANNT or nothing says that nobody knows.
    case
        when upper(AN_PROGNOSE_STATUS) = 'REAL' then 'observed_actual'
        when upper(AN_PROGNOSE_STATUS) in ('PROGNOSE', 'GESCHAETZT') then 'forecast'
    end as arrival_evidence,
    coalesce(scheduled_departure::varchar, 'not a time: ' || ABFAHRTSZEIT) as departure_scheduled,
    coalesce(departure::varchar, 'not a time: ' || AB_PROGNOSE) as departure_actual,
    case
        when upper(AB_PROGNOSE_STATUS) = 'REAL' then 'observed_actual'
        when upper(AB_PROGNOSE_STATUS) in ('PROGNOSE', 'GESCHAETZT') then 'forecast'
    end as departure_evidence,
    lower(FAELLT_AUS_TF) = 'true' as arrival_is_cancelled,
    lower(FAELLT_AUS_TF) = 'true' as departure_is_cancelled,
    lower(ZUSATZFAHRT_TF) = 'true' as is_added,
    case when lower(DURCHFAHRT_TF) = 'true' then 'pass_through' end as skip_code
from archive_times
