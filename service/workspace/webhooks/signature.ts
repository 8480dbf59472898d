import { createHmac, randomBytes } from 'node:crypto';

/** The beginning of a secret; the rest is base64. */
const PREFIX = 'whsec_';

/** Makes a secret as [Standard Webhooks](https://www.standardwebhooks.com/) writes it: 256 random bits. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/**
 * The headers of a delivery: its id, the time, and a signature (HMAC-SHA256) with each secret. A receiver accepts the
 * delivery if one of the signatures is right.
 * @param at when it is sent. Receivers refuse old times, so each attempt is signed again.
 */
export function signatureHeaders(
  id: string,
  body: string,
  at: Date,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
