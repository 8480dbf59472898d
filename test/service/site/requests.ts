import type { FuzzRequest } from '../attacks/fuzz/fuzz-request.js';
import { post } from '../attacks/fuzz/request-makers.js';

export default [
  post(
    '/language',
    { secret: '{{language.secret}}', language: 'de', page: '%2Fphotos' },
    { Cookie: '{{language.cookie}}' },
  ),
] satisfies readonly FuzzRequest[];
