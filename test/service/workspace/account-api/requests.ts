import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { BEARER, send } from '../../attacks/fuzz/request-makers.js';

export default [
  send(
    'PATCH',
    '/api/v1/connection',
    { ...BEARER, 'Content-Type': 'application/json' },
    '{"device_name": "Fuzz"}',
  ),
] satisfies readonly FuzzRequest[];
