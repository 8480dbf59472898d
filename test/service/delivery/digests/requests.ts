import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { get, post } from '../../attacks/fuzz/request-makers.js';

export default [
  get('/shares/unsubscribe', { account: 'a', share: 's', proof: 'p' }),
  post('/shares/unsubscribe', { all: '1' }),
] satisfies readonly FuzzRequest[];
