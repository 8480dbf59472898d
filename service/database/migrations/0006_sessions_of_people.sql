-- Sessions are stored for people who are signed in only. Those of browsers that merely looked go.
DELETE FROM oidc_records WHERE kind = 'Session' AND payload -> 'accountId' IS NULL;
