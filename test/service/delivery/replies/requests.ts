import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { get, post } from '../../attacks/fuzz/request-makers.js';

export default [
  get('/shares/confirm-replies', { guest: 'g', share: 's', proof: 'p' }),
  post('/shares/confirm-replies', {}),
] satisfies readonly FuzzRequest[];
