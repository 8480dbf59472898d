import type { CsrfTokens } from '../../identity/index.js';
import { CONTENT } from '../../site/addresses/content-paths.js';

/** How long an address stays the same, in seconds, so that a browser can cache what it fetched from it. */
export const ADDRESS_STEP_SECONDS = 300;

/** Sends a picture that never changes: pages show it again and again. */
const PICTURE_STEP_SECONDS = 3600;

/** The holder of the permission in a URL: an account or a share link. */
export interface Recipient {
  readonly kind: 'user' | 'link';
  readonly id: string;
}

/** The variants of a photo that have a URL. */
const VARIANTS = ['file', 'preview', 'thumbnail'] as const;

type Variant = (typeof VARIANTS)[number];

/** The file behind a URL, and the user or link that requests it. */
export interface ContentGrant {
  readonly photoId: string;
  readonly variant: Variant;
  readonly recipient: Recipient;
  /** The version of a picture, if the address is only for that one. */
  readonly version?: string | undefined;
}

/**
 * URLs of stored files on a separate host, where no cookie identifies the user. Each URL is for one photo, one variant
 * and one recipient. The permission is checked again when the URL is used. A URL is valid for 10 to 15 minutes, for
 * one version of a picture for 2 to 3 hours. It carries a MAC made with a key of the service, so nothing is stored.
 */
export class ContentAddresses {
  /**
   * @param origin origin of the host, without a slash at the end.
   * @param formTokens makes and checks the codes, with a key that all processes share.
   */
  constructor(
    readonly origin: string,
    private readonly formTokens: Pick<CsrfTokens, 'make' | 'matches'>,
    private readonly now: () => Date,
  ) {}

  /** Makes an address. The caller has checked that the recipient may see the photo now. */
  make(grant: ContentGrant): string {
    const { variant, recipient, version } = grant;
    const seconds = version === undefined ? ADDRESS_STEP_SECONDS : PICTURE_STEP_SECONDS;
    const until = String((Math.floor(this.seconds() / seconds) + 3) * seconds);
    const query = new URLSearchParams({
      as: variant,
      for: `${recipient.kind}.${recipient.id}`,
      until,
      ...(version !== undefined && { v: version }),
      code: this.codeOf(grant, until),
    });
    return `${this.origin}${CONTENT.file(grant.photoId)}?${query.toString()}`;
  }

  /** The content of a URL; undefined when it has expired or has no valid signature. */
  read(photoId: string, query: URLSearchParams): ContentGrant | undefined {
    const variant = VARIANTS.find((one) => one === query.get('as'));
    const [, kind, id] = /^(user|link)\.([\w-]{1,64})$/.exec(query.get('for') ?? '') ?? [];
    const until = query.get('until') ?? '';
    const version = query.get('v') ?? undefined;
    if (
      variant === undefined ||
      (kind !== 'user' && kind !== 'link') ||
      id === undefined ||
      !/^\d{1,12}$/.test(until) ||
      this.seconds() >= Number(until)
    ) {
      return undefined;
    }
    const grant: ContentGrant = { photoId, variant, recipient: { kind, id }, version };
    return this.formTokens.matches(query.get('code'), this.codeOf(grant, until))
      ? grant
      : undefined;
  }

  private codeOf({ photoId, variant, recipient, version }: ContentGrant, until: string): string {
    const { kind, id } = recipient;
    return this.formTokens.make('content', photoId, variant, kind, id, until, version ?? '');
  }

  private seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}
