/** The codes of Node's errors for a server that is away or is being replaced. */
export const NETWORK_ERRORS: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EADDRNOTAVAIL'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
  // The name is unknown: a container that has not started yet has none.
  ...['ENOTFOUND', 'EAI_AGAIN'],
]);
