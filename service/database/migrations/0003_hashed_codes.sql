-- Device codes, browser sessions and interactions are credentials of those who hold them: from now on
-- `id` is their SHA-256 (base64url), as it is for tokens.
UPDATE oidc_records
   SET id = translate(rtrim(encode(sha256(convert_to(id, 'UTF8')), 'base64'), '='), '+/', '-_'),
       payload = payload - 'jti'
 WHERE kind = 'DeviceCode' OR (kind = 'Session' AND payload ->> 'accountId' IS NOT NULL);

-- A page that is open in a browser where nobody is signed in is opened once more.
DELETE FROM oidc_records
 WHERE kind = 'Interaction' OR (kind = 'Session' AND payload ->> 'accountId' IS NULL);

-- Keys of limits are made in another way, and every count starts anew.
DELETE FROM attempts;
