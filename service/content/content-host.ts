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
  /** Limits the open downloads, those of the pages included. */
  readonly open: Bounded;
  readonly addressOf: ClientAddress;
}

/**
 * Sends stored files from a host of their own to anybody who has an address made by {@link ContentAddresses}. It uses
 * no cookies. The address says on whose behalf it was made; whether they may still see the photo is checked each time.
 */
export class ContentHost {
  constructor(private readonly parts: ContentHostParts) {}

  /** Answers a request to the only route of this host. */
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
      // Thumbnails are shown on pages of another host; originals are not.
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

  /** The key under which a download counts: the same as for the pages. */
  private placeOf({ kind, id }: Recipient, request: WholeRequest): string {
    return kind === 'person' ? id : `link ${id} ${widestNetwork(this.parts.addressOf(request))}`;
  }
}

/** A page without links: this host has no other pages, and visitors can go back to the page that they came from. */
function contentProblemPage(problem: Sentence): Page {
  return page(
    'didNotWork',
    (speech) =>
      markup`<h1>${speech.text('didNotWork')}</h1>
        ${problemBox(speech, problem)}`,
  );
}
