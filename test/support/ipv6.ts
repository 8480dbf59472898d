import { networkInterfaces } from 'node:os';

/** Whether this machine has the loopback address of IPv6, `::1`. */
export const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((entry) => entry?.address === '::1');
