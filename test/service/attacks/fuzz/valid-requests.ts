import { foundByName } from '../../support/found-by-name.js';
import { apiRequests } from './api-requests.js';
import type { FuzzRequest } from './fuzz-request.js';

// OAuth first, which is a module: a policy that `identity/security` sets ends the codes that its requests carry.
const OF_FEATURES = await foundByName<readonly FuzzRequest[]>('requests.ts');

/**
 * A request of every kind that the service answers, as a well-behaved client sends it: those in `requests.ts` of the
 * features, and those that the description of the data API gives.
 */
export const VALID_REQUESTS: readonly FuzzRequest[] = [
  ...OF_FEATURES.flat(),
  ...apiRequests({
    id: '{{own.photo}}',
    film: '{{own.film}}',
    project: '{{own.project}}',
    share: '{{own.spareShare}}',
    comment: '{{own.spareComment}}',
    guest: '{{own.spareGuest}}',
    token: '{{own.all}}',
  }),
];
