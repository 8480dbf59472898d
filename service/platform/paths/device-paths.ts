/** The API path of what a computer reports about its queue. */
export function deviceQueuePath(id: string): string {
  return `/api/v1/devices/${id}/queue`;
}
