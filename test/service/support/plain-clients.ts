import { join } from 'node:path';

/**
 * A registry in which no app shows numbers, for runs whose proxies give each request another address. Otherwise each
 * sign-in would need a number.
 */
export const PLAIN_CLIENTS = join(import.meta.dirname, 'plain-clients.json');
