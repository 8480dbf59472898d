import { openSettings, type TestUser } from '../support/users.js';

/**
 * A user who is signed in at one process and sends forms directly, so that each is sent at once.
 * @param at the origin of the process
 * @param always fields that go with each form
 * @returns sends one; gives the status of the answer
 */
export async function formsOf(
  at: string,
  user: TestUser,
  always: Readonly<Record<string, string>> = {},
): Promise<(action: string, fields: Readonly<Record<string, string>>) => Promise<number>> {
  const browser = await openSettings({ baseUrl: at }, user, '/settings/account');
  return async (action, fields) => {
    const answer = await fetch(at + action, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.sessionCookie },
      body: new URLSearchParams({ csrf: browser.csrf, ...always, ...fields }),
    });
    await answer.text();
    return answer.status;
  };
}
