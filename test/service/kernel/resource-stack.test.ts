import { expect, it } from '@jest/globals';
import { ResourceStack } from '../../../service/kernel/resource-stack.js';

it('releases resources once in reverse order, also after a failure', async () => {
  const acquired = new ResourceStack();
  const released: string[] = [];
  for (const name of ['lock', 'database', 'port'])
    acquired.add(async () => {
      released.push(name);
      await Promise.resolve();
      if (name !== 'lock') throw new Error(`the ${name} stays`);
    });

  await expect(acquired.release()).rejects.toThrow('the port stays');
  await acquired.release();

  expect(released).toEqual(['port', 'database', 'lock']);
});
