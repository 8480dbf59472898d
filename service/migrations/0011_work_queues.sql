-- Files to be deleted have the columns of a work queue (service/kernel/jobs/work-queue.ts), and queued mail has its last failure.
-- A new file is due at once, whatever the clock of the service.
ALTER TABLE discarded_uploads
  ADD COLUMN attempts integer NOT NULL DEFAULT 0,
  ADD COLUMN due_at timestamptz NOT NULL DEFAULT '-infinity',
  ADD COLUMN failure text;
CREATE INDEX discarded_uploads_due ON discarded_uploads (due_at);
ALTER TABLE outgoing_mail ADD COLUMN failure text;
