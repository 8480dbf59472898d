import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { get } from '../../attacks/fuzz/request-makers.js';

export default [get('/healthz')] satisfies readonly FuzzRequest[];
