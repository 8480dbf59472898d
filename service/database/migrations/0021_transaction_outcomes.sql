-- Each transaction that changes something leaves a row here. So a process that lost its connection at the COMMIT can
-- find out whether the transaction was committed. The status by transaction id (pg_xact_status) would not do: after a
-- crash PostgreSQL gives the ids of lost transactions to others.
CREATE TABLE transaction_outcomes (
  id uuid PRIMARY KEY,
  -- False where a process that lost its connection has found the transaction gone, and keeps it from committing late.
  is_committed boolean NOT NULL,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '1 hour'
);
CREATE INDEX transaction_outcomes_by_end ON transaction_outcomes (expires_at);
