import { expect } from '@jest/globals';
import { elementText, openSettings } from '../people.js';
import type { Person } from '../people.js';
import type { TestService } from '../running.js';

/** What a link is made for, by its id. */
export interface Shareable {
  readonly photo?: string;
  readonly project?: string;
}

/** Makes a link as a person does; gives its path. */
export async function shareAs(
  service: TestService,
  person: Person,
  about: Shareable,
  values: Readonly<Record<string, string>> = {},
): Promise<string> {
  const query = new URLSearchParams({ ...about }).toString();
  const browser = await openSettings(service, person, `/shares/new?${query}`);
  const page = await browser.submit('Create link', values);
  expect(page.status).toBe(201);
  return new URL(elementText(page, 'secret')).pathname;
}
