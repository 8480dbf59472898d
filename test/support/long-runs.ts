/** Whether the tests do all that they know (`TEST_SCALE=2`, or more), and not only what differs most. */
export const IS_LONG = Number(process.env['TEST_SCALE'] ?? 1) > 1;
