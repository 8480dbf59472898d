import type { ServerResponse } from 'node:http';
import type { Accounts } from '../accounts/accounts.js';
import { widestNetwork, type ClientAddress } from '../http/client-address.js';
import { sendPage } from '../http/responses.js';
import type { RouteMatch } from '../http/route-table.js';
import type { WholeRequest } from '../http/whole-request.js';
import { markup } from '../pages/html.js';
import { page, problemBox, type Page } from '../pages/layout.js';
import { sentence, type Sentence } from '../pages/sentence.js';
import { maySee, type Photo } from '../photos/photo.js';
import { sendFile } from '../photos/send-file.js';
import { showThumbnail, type ThumbnailParts } from '../photos/thumbnail.js';
import { shows } from '../shares/shared.js';
import type { ShareTable } from '../shares/share-table.js';
import type { Bounded } from '../uploads/once-at-a-time.js';
import type { ContentAddresses, Recipient } from './content-addresses.js';

export interface ContentHostParts extends ThumbnailParts {
  readonly addresses: Pick<ContentAddresses, 'read'>;
  readonly accounts: Pick<Accounts, 'workspacesOf'>;
  readonly shares: Pick<ShareTable, 'find'>;
  /** Counts what is sent, together with what the pages send. */
  readonly open: Bounded;
  readonly addressOf: ClientAddress;
}

/**
 * Hands out stored files at a host of their own, to whoever comes with an address that was made for it. It knows no
 * cookies. The address says whose permission it carries; whether they still have it is asked each time.
 */
export class ContentHost {
  constructor(private readonly parts: ContentHostParts) {}

  /** Answers at the one address of the host. */
  async handle(request: WholeRequest, response: ServerResponse, { id }: RouteMatch): Promise<void> {
    response.setHeader('X-Robots-Tag', 'noindex, nofollow');
    const grant = this.parts.addresses.read(id, request.target.parameters);
    if (grant === undefined) {
      sendPage(response, 403, contentProblemPage(sentence('addressEnded')));
      return;
    }
    const found = await this.parts.thumbnails.find(id, this.parts.now());
    if (found === undefined || !(await this.maySee(found.photo, grant.recipient))) {
      sendPage(response, 404, contentProblemPage(sentence('noPhotoText')));
      return;
    }
    if (grant.variant === 'thumbnail') {
      // It stands on pages of another host. What comes out of the file itself does not.
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      await showThumbnail(this.parts, found, response);
      return;
    }
    const { photo } = found;
    const { store, open } = this.parts;
    const who = this.placeOf(grant.recipient, request);
    if (!(await open.run(who, () => sendFile(store, photo, request, response)))) {
      response.setHeader('Retry-After', '5');
      sendPage(response, 429, contentProblemPage(sentence('tooManyDownloads')));
    }
  }

  private async maySee(photo: Photo, { kind, id }: Recipient): Promise<boolean> {
    if (kind === 'person') {
      return maySee(photo, id, await this.parts.accounts.workspacesOf(id));
    }
    const share = await this.parts.shares.find(id);
    return share !== undefined && !share.isResting && shows(share, photo);
  }

  /** By whom it counts: as at the pages. */
  private placeOf({ kind, id }: Recipient, request: WholeRequest): string {
    return kind === 'person' ? id : `link ${id} ${widestNetwork(this.parts.addressOf(request))}`;
  }
}

/** There is no way on from this host: whoever comes here has a page that they came from. */
function contentProblemPage(problem: Sentence): Page {
  return page(
    'didNotWork',
    (speech) =>
      markup`<h1>${speech.text('didNotWork')}</h1>
        ${problemBox(speech, problem)}`,
  );
}
