import type { MetricsPort } from '../kernel/metrics/metrics-port.js';
import type { PlatformClient } from '../oauth/index.js';
import type { CheckedOptions } from './config/options.js';
import type { PreparedDatabase } from './starting-database.js';

/** The inputs of the service: checked options, the prepared database, and the receivers of reports. */
export interface AppContext extends PreparedDatabase {
  readonly options: CheckedOptions;
  readonly clients: PlatformClient[];
  readonly baseUrl: string;
  readonly reportError: (error: unknown) => void;
  readonly counts: MetricsPort;
}
