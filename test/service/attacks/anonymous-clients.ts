/** Requests of anonymous clients from any address; the service trusts one proxy in these tests. */
import { DEMO_ACCOUNT } from '../../../service/identity/accounts/demo.js';
import { approveDevice, TestBrowser } from '../support/browser-client.js';
import type { Page } from '../support/browser-client.js';
import { CLIENT_ID, poll, postForm } from '../support/oauth-client.js';
import type { Answer } from '../support/oauth-client.js';
import type { TestService } from '../support/running-service.js';
import { useService } from '../support/use-service.js';

/** A service behind one proxy, so that a test chooses the addresses that requests come from. */
export function useServiceBehindProxy(now?: () => Date): TestService {
  return useService({ trustedProxies: 1, ...(now !== undefined && { now }) });
}

/** A new browser at this address. */
export function browserAt(service: TestService, address: string): TestBrowser {
  const browser = new TestBrowser(service.baseUrl);
  browser.comesFrom(address);
  return browser;
}

/** The sign-in page of Settings in a new browser. */
export async function openSignIn(service: TestService, address: string): Promise<TestBrowser> {
  const browser = browserAt(service, address);
  await browser.open('/settings/sign-in');
  return browser;
}

/** The status of each of `times` wrong sign-ins, one after another, in one browser. */
export async function guessPasswords(
  browser: TestBrowser,
  username: string,
  times: number,
): Promise<number[]> {
  const statuses: number[] = [];
  const signIn = browser.page;
  for (let guess = 0; guess < times; guess += 1) {
    browser.show(signIn);
    statuses.push((await browser.submit('Sign in', { username, password: 'wrong' })).status);
  }
  return statuses;
}

/** The status of each of `times` entries of an unknown code, in one new browser. */
export async function guessCodes(
  service: TestService,
  address: string,
  times: number,
): Promise<number[]> {
  const browser = browserAt(service, address);
  const first = await browser.open('/oauth/device');
  if (first.status !== 200) return [first.status];
  const statuses: number[] = [];
  for (let guess = 0; guess < times; guess += 1) {
    browser.show(first);
    statuses.push((await browser.submit('Continue', { user_code: 'BCDF-GHJK' })).status);
  }
  return statuses;
}

/** Puts every count so far up by `times`, as if so many more attempts had come from everybody who made one. */
export async function spend(service: Pick<TestService, 'database'>, times: number): Promise<void> {
  await service.database.query('UPDATE attempts SET count = count + $1 WHERE count > 0', [times]);
}

/** How often each value is there, for instance `{ 401: 10, 429: 2 }`. */
export function tally(values: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** Requests a device code from this address. */
export function requestDeviceFrom(
  service: TestService,
  address: string,
  form: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return postForm(
    `${service.baseUrl}/api/oauth/device_authorization`,
    { client_id: CLIENT_ID, scope: 'uploads:write', ...form },
    { 'x-forwarded-for': address },
  );
}

/**
 * Connects a device as a control user does: requests a code, enters it, signs in, allows, and polls
 * once. Gives the status of that poll; 200 means that tokens came.
 */
export async function connectFrom(
  service: TestService,
  address: string,
  browser = browserAt(service, address),
): Promise<number> {
  const { status, body } = await requestDeviceFrom(service, address);
  if (status !== 200) return status;
  await approveDevice(service.baseUrl, String(body['user_code']), DEMO_ACCOUNT, browser);
  return (await poll(service.baseUrl, String(body['device_code']))).status;
}

/** Signs in the demo account from this address, with a new browser; returns the next page. */
export async function signInFrom(service: TestService, address: string): Promise<Page> {
  const browser = await openSignIn(service, address);
  return browser.submit('Sign in', DEMO_ACCOUNT_FIELDS);
}

export const DEMO_ACCOUNT_FIELDS = {
  username: DEMO_ACCOUNT.username,
  password: DEMO_ACCOUNT.password,
};
