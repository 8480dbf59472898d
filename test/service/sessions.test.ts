import { expect, it } from '@jest/globals';
import type { Provider } from 'oidc-provider';
import { FormTokens } from '../../service/oauth/form-tokens.js';
import { keepSessionsOfPeople } from '../../service/oauth/sessions.js';

it.each(['save', 'persist', 'resetIdentifier'])(
  'the service does not start with a version of oidc-provider whose sessions know no %s',
  (missing) => {
    const methods = ['save', 'persist', 'resetIdentifier'].filter((name) => name !== missing);
    const prototype = Object.fromEntries(methods.map((name) => [name, () => undefined]));
    const provider = { Session: { prototype, get: () => undefined } } as unknown as Provider;

    expect(() => {
      keepSessionsOfPeople(provider, new FormTokens('the key'));
    }).toThrow('no longer keeps sessions as expected');
  },
);
