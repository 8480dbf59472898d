-- Why the latest sign-in at a provider failed: `reason`, `details` and `at`, in milliseconds since 1970.
ALTER TABLE identity_providers ADD COLUMN last_failure jsonb;
-- Whether a passkey may be synced (WebAuthn §6.1.3). NULL until its next use, for passkeys from before this column.
ALTER TABLE passkeys ADD COLUMN backup_eligible boolean;
