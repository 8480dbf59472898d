-- What is removed as soon as it has expired, and what is removed by the time of its last use.
CREATE INDEX oidc_records_fleeting ON oidc_records (expires_at)
  WHERE kind IN ('Session', 'Interaction');
CREATE INDEX device_polls_by_time ON device_polls (polled_at);
