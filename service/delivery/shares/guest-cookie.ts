import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CsrfTokens } from '../../identity/index.js';
import { cookieHeader, cookieIn } from '../../kernel/cookies.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import type { Guest } from '../../library/index.js';

const COOKIE = 'cws_guest';

/** Longer than a link works, in seconds. */
const GUEST_SECONDS = 365 * 24 * 3600;

/** A link, as far as its guests depend on it. */
interface Link {
  readonly id: string;
  readonly token: string;
}

/**
 * The cookie by which a link recognizes the browser of a guest: `<id>.<name>.<mac>`, with a random id and a MAC by a key
 * of the service over the link, the id and the name. Browsers send it only below the path of the link.
 */
export class GuestCookie {
  /** @param isSecure whether browsers reach the service by https. */
  constructor(
    private readonly formTokens: CsrfTokens,
    private readonly isSecure: boolean,
  ) {}

  /** The guest whose browser sends the request; undefined without a cookie that the service has made for this link. */
  read(request: IncomingMessage, link: Link): Guest | undefined {
    const [id = '', encoded = '', mac = ''] = cookieIn(request, COOKIE, this.isSecure).split('.');
    const name = Buffer.from(encoded, 'base64url').toString();
    const isOurs = this.formTokens.matches(mac, this.macOf(link, { id, name }));
    return isOurs && id !== '' ? { id, name } : undefined;
  }

  /** Like {@link GuestCookie.read}; makes a guest without a name for a new browser. */
  readOrMake(request: IncomingMessage, response: ServerResponse, link: Link): Guest {
    const known = this.read(request, link);
    if (known !== undefined) {
      return known;
    }
    const guest = { id: randomBytes(16).toString('base64url'), name: '' };
    this.keep(response, link, guest);
    return guest;
  }

  /** Keeps the guest, with the name, in the browser. */
  keep(response: ServerResponse, link: Link, guest: Guest): void {
    const encoded = Buffer.from(guest.name).toString('base64url');
    const value = `${guest.id}.${encoded}.${this.macOf(link, guest)}`;
    const life = {
      path: SHARES.shared(link.token),
      maxAge: GUEST_SECONDS,
      isSecure: this.isSecure,
    };
    response.appendHeader('Set-Cookie', cookieHeader(COOKIE, value, life));
  }

  /** What the address of an invited guest names: `<id>.<mac>`. */
  invitation({ id: linkId }: Pick<Link, 'id'>, { id }: Pick<Guest, 'id'>): string {
    return `${id}.${this.formTokens.make('share-invitation', linkId, id)}`;
  }

  /** The id of the guest whom an {@link GuestCookie.invitation} is for. */
  readInvitation({ id: linkId }: Pick<Link, 'id'>, given: string): string | undefined {
    const [id = '', mac = ''] = given.split('.');
    return this.formTokens.matches(mac, this.formTokens.make('share-invitation', linkId, id))
      ? id
      : undefined;
  }

  /** The CSRF token for the forms of this guest. */
  formToken(link: Link, { id }: Guest): string {
    return this.formTokens.make('share-answer', link.id, id);
  }

  /** Whether a form was made for this guest. */
  isOwnForm(link: Link, guest: Guest, given: string | null): boolean {
    return this.formTokens.matches(given, this.formToken(link, guest));
  }

  /**
   * What makes the address of a film valid in this browser only.
   * @param until in seconds since 1970
   */
  playToken(link: Link, { id }: Guest, photoId: string, until: number): string {
    return this.formTokens.make('share-play', link.id, id, photoId, String(until));
  }

  /** Whether the address of a film was made for the browser that sends the request. */
  isOwnFilm(
    request: IncomingMessage,
    link: Link,
    film: { readonly photoId: string; readonly until: number; readonly given: string | null },
  ): boolean {
    const guest = this.read(request, link);
    return (
      guest !== undefined &&
      this.formTokens.matches(film.given, this.playToken(link, guest, film.photoId, film.until))
    );
  }

  private macOf(link: Link, { id, name }: Guest): string {
    return this.formTokens.make('share-guest', link.id, id, name);
  }
}
