/** Whether the tests run all cases (`TEST_SCALE=2` or more), not only the most different ones. */
export const IS_LONG = Number(process.env['TEST_SCALE'] ?? 1) > 1;
