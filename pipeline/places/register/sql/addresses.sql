-- Addresses of Austria's register with the names of street, village and municipality; one row for each row of ADRESSE.
-- A house without a street has the village's name instead, as letters to it have.
select
  a.adrcd,
  coalesce(nullif(trim(s.strassenname), ''), nullif(trim(o.ortsname), ''), '') as street,
  coalesce(a.hausnrzahl1, '')
    || coalesce(a.hausnrbuchstabe1, '')
    || coalesce(a.hausnrverbindung1, '')
    || coalesce(a.hausnrzahl2, '')
    || coalesce(a.hausnrbuchstabe2, '') as number,
  coalesce(a.plz, '') as postcode,
  coalesce(trim(o.ortsname), '') as village,
  coalesce(trim(g.gemeindename), '') as municipality,
  coalesce(try_cast(a.rw as double), 'nan'::double) as east,
  coalesce(try_cast(a.hw as double), 'nan'::double) as north,
  coalesce(try_cast(a.epsg as integer), 0) as epsg
from register_adresse a
left join register_strasse s on s.skz = a.skz
left join register_ortschaft o on o.okz = a.okz
left join register_gemeinde g on g.gkz = a.gkz
