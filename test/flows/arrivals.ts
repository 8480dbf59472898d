/** A finished upload as the service lists it. */
export interface Arrival {
  readonly name: string;
  readonly size: number;
  readonly type: string;
  readonly sha256: string;
}

/** The uploads at the service, by name. */
export async function arrivals(baseUrl: string, accessToken: string): Promise<Arrival[]> {
  const response = await fetch(`${baseUrl}/api/v1/uploads`, {
    headers: { Authorization: `Bearer ${accessToken}` },
  });
  if (response.status !== 200) throw new Error(`the list of uploads answered ${response.status}`);
  const { uploads } = (await response.json()) as { uploads: Arrival[] };
  return uploads
    .map(({ name, size, type, sha256 }) => ({ name, size, type, sha256 }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
