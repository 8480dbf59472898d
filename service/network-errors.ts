/** What a network says while a server is away or being replaced; Node's names. */
export const NETWORK_ERRORS: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EADDRNOTAVAIL'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
  // The name of a container that has not started yet is unknown as well.
  ...['ENOTFOUND', 'EAI_AGAIN'],
]);
