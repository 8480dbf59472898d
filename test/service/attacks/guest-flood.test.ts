import { expect, it } from '@jest/globals';
import { addSharedPhotos, shareAs } from '../delivery/shares/sharing.js';
import { openSettings } from '../support/users.js';
import { browserAt, useServiceBehindProxy } from './anonymous-clients.js';

let now = Date.parse('2026-11-28T12:00:00Z');
const service = useServiceBehindProxy(() => new Date(now));

// @threat L4
it('strangers with a link leave the client able to approve, and the studio removes them in two clicks', async () => {
  const { member, harbour } = await addSharedPhotos(service);
  const link = await shareAs(service, member, { photo: harbour });
  const [share] = await service.database.query<{ id: string }>('SELECT id FROM shares');
  const answers = `/shares/${share?.id ?? ''}/answers`;
  const comment = async (name: string, address: string): Promise<number> => {
    const guest = browserAt(service, address);
    await guest.open(`${link}/photo?photo=${harbour}`);
    await guest.submit('Send', { text: `${name} was here` });
    return (await guest.submit('Continue', { name })).status;
  };
  let accepted = 0;
  for (let count = 0; count < 100; count += 1) {
    const network = count % 5;
    const status = await comment(`Eve ${count}`, `198.51.${network}.${1 + Math.floor(count / 5)}`);
    accepted += status === 200 ? 1 : 0;
  }
  expect(accepted).toBeGreaterThan(50);

  const client = browserAt(service, '203.0.113.9');
  await client.open(`${link}/photo?photo=${harbour}`);
  await client.submit('Approve');
  expect((await client.submit('Continue', { name: 'Mia' })).text).toContain('Approved by Mia');

  // The filter leads to Mia, who came after all of them.
  now += 1000;
  const page = await openSettings(service, member, answers);
  const [, id = ''] = /<option value="([^"]+)"\s*>Mia</.exec(page.page.markup) ?? [];
  await page.open(`${answers}?guest=${id}`);
  await page.submit('I know this guest');
  await page.submit('Remove all of them');

  const left = await service.database.query('SELECT DISTINCT guest_name FROM share_answers');
  expect(left).toEqual([{ guest_name: 'Mia' }]);
  expect(page.page.text).toContain('Mia');
  await client.open(`${link}/photo?photo=${harbour}`);
  expect(client.page.text).not.toContain('was here');

  await page.submit('Undo');
  const restored = await service.database.query('SELECT DISTINCT guest_id FROM share_answers');
  expect(restored).toHaveLength(accepted + 1);
});
