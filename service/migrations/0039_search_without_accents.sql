-- The form in which texts are searched and searched for: in small letters, without accents, and with one width and one
-- Unicode normalization of each letter. The marks of kana are no accents.
CREATE FUNCTION search_form(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(given) = length(given) THEN lower(given)
              ELSE regexp_replace(lower(normalize(given, NFKD)), U&'[\0300-\036F]', '', 'g') END
$$;

CREATE OR REPLACE FUNCTION describe_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.taken_at := NEW.finished_at;
  NEW.search_text := search_form(NEW.name);
  RETURN NEW;
END $$;

UPDATE uploads SET search_text = search_form(search_text) WHERE octet_length(search_text) <> length(search_text);
