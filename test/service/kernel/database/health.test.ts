import { expect, it } from '@jest/globals';
import type { Queryable } from '../../../../service/kernel/database/database.js';
import { healthOf } from '../../../../service/kernel/database/health.js';

it('sends one query to an unresponsive database for any number of health checks', async () => {
  const answers: ((rows: never[]) => void)[] = [];
  const database: Queryable = {
    query: () => new Promise<never[]>((resolve) => answers.push(resolve)),
  };
  const isHealthy = healthOf(database, 5);

  expect([await isHealthy(), await isHealthy(), await isHealthy()]).toEqual([false, false, false]);
  expect(answers).toHaveLength(1);

  answers[0]?.([]);
  await new Promise(setImmediate);
  const asked = isHealthy();
  expect(answers).toHaveLength(2);
  answers[1]?.([]);
  expect(await asked).toBe(true);
});
