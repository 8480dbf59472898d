import type { CurrentAccount } from '../../account/current-account.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import { CwError } from '../../util/errors.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { ShareTarget } from '../links/index.js';

export interface ReceiptsOptions {
  readonly requests: Pick<RequestQueue, 'send'>;
  readonly capabilities: Pick<CapabilitySource, 'get'>;
  /** Address of the receipts, `{base_url}/api/v1/receipts`. */
  readonly endpoint: string;
  readonly account: Pick<CurrentAccount, 'state'>;
}

/** A receipt in the compact serialization ([RFC 7515 §7.1](https://www.rfc-editor.org/rfc/rfc7515#section-7.1)). */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Room for a receipt of 10,000 photos. UTF-16 code units. */
const MAX_LENGTH = 8 * 1024 * 1024;

/** Receipts of uploaded photos, signed by the service. */
export class Receipts {
  private readonly store = new Observable(false);

  /** Whether the service signs receipts; false until that is known. */
  readonly isOffered: ReadableObservable<boolean> = this.store;

  constructor(private readonly options: ReceiptsOptions) {
    options.account.state.subscribe((account) => {
      if (!account) {
        this.store.set(false);
        return;
      }
      options.capabilities
        .get()
        .then(({ uploadReceipts }) => {
          this.store.set(uploadReceipts);
        })
        .catch(() => undefined);
    });
  }

  /**
   * Requests the receipt of a project or of uploads, as text to be saved in a file.
   * @throws {CwError} CW-203 without permission, CW-615 when the service refuses, or a transient error
   */
  async create(target: ShareTarget): Promise<string> {
    const { requests, endpoint } = this.options;
    try {
      const { text } = await requests.send({
        method: 'POST',
        url: endpoint,
        headers: { Accept: 'application/jose', 'Content-Type': 'application/json' },
        body: JSON.stringify(target),
        repeatable: true,
        maxResponseLength: MAX_LENGTH,
        isAnswer: (response) => COMPACT.test(response.text),
      });
      return text;
    } catch (error) {
      if (error instanceof CwError && error.code === 'CW-603') {
        const { status } = error;
        throw new CwError('CW-615', 'the service made no receipt', {
          cause: error,
          ...(status !== undefined && { status }),
        });
      }
      throw error;
    }
  }
}
