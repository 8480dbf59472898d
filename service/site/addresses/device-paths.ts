/** The API path of what a computer reports about its queue. */
export function deviceQueuePath(id: string): string {
  return `/api/v1/devices/${id}/queue`;
}

/** The API path of the connection that a token belongs to. */
export const CONNECTION_PATH = '/api/v1/connection';

/** How long the name of a computer may be, in characters. */
export const MAX_DEVICE_NAME = 100;
