import { beforeEach, describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES } from '../../../src/api/capabilities.js';
import { Receipts } from '../../../src/features/receipts/receipts.js';
import { knownToDo } from '../../support/capabilities.js';
import { outcomeOf } from '../../support/outcome.js';
import { accountWith, ApiFixture, BASE } from '../api-fixture.js';

const RECEIPT = 'eyJ0eXAiOiJ1cGxvYWQi.e30.c2ln';

let fixture: ApiFixture;

beforeEach(async () => {
  fixture = await ApiFixture.create();
});

function receiptsOf(uploadReceipts = true): Receipts {
  return new Receipts({
    requests: fixture.requests,
    capabilities: knownToDo({ ...BASIC_CAPABILITIES, uploadReceipts }),
    endpoint: `${BASE}/api/v1/receipts`,
    account: { state: fixture.account },
  });
}

describe('a receipt', () => {
  it('is the text that the service signed', async () => {
    const made = outcomeOf(receiptsOf().create({ uploads: ['u-1', 'u-2'] }));
    const exchange = await fixture.next('POST /api/v1/receipts');
    expect(JSON.parse(exchange.request.body as string)).toEqual({ uploads: ['u-1', 'u-2'] });
    exchange.respond(200, {}, RECEIPT);
    await fixture.clock.settle();
    expect(made.value).toBe(RECEIPT);
  });

  it('fails with CW-615 if the service refuses it', async () => {
    const made = outcomeOf(receiptsOf().create({ project: 'p-1' }));
    const exchange = await fixture.next('POST /api/v1/receipts');
    exchange.respond(404, {}, { error: 'not_found' });
    await fixture.clock.settle();
    expect(made.error).toMatchObject({ code: 'CW-615', status: 404 });
  });

  it.each([true, false])('is offered as the service announces: %s', async (isOffered) => {
    const receipts = receiptsOf(isOffered);
    expect(receipts.isOffered.get()).toBe(false);
    fixture.account.set(accountWith(['uploads:write']));
    await fixture.clock.settle();
    expect(receipts.isOffered.get()).toBe(isOffered);
    fixture.account.set(null);
    expect(receipts.isOffered.get()).toBe(false);
  });
});
