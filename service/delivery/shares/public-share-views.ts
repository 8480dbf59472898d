import { html, type Html } from '../../kernel/html-tag.js';
import { wantsJson } from '../../site/error-responses.js';
import { sendJson, sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { Translator } from '../../kernel/i18n/translator.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import {
  pageIn,
  timeIn,
  type Guest,
  type GuestAddresses,
  type GuestTable,
  type LabelTable,
  type Photo,
  type PhotoTable,
} from '../../library/index.js';
import { readMailAddress } from '../../kernel/mail/mail-address.js';
import { finishPage } from '../digests/index.js';
import { repliesLink, repliesPage } from '../replies/index.js';
import { GuestFeedback, parseGuestAction, type GuestFeedbackDeps } from './guest-feedback.js';
import type { GuestCookie } from './guest-cookie.js';
import {
  answerPanel,
  BACK_TO,
  nameField,
  type BackTo,
  type GuestForms,
  type PhotoAnswers,
} from './public-share-answers.js';
import type { LinkOpenings } from './link-openings.js';
import type { LinkRequest } from './link-permission.js';
import { sharedGalleryPage } from './public-share-gallery.js';
import { filmAddress } from './guest-films.js';
import { sharedFramesAddress } from './guest-pictures.js';
import { ofPhoto, shareGonePage, shareProblemPage } from './public-share-pages.js';
import { changeNamePage, guestNamePage, sharedPhotoPage } from './public-share-photo-page.js';
import { includes, photoIdIn, ShareContents, type PageOfLink } from './share-contents.js';
import { ENDED_SHARE_DAYS, type OpenShare } from './share.js';

export interface PublicShareViewsDeps extends GuestFeedbackDeps {
  readonly photos: PhotoTable;
  readonly guests: GuestCookie;
  readonly guestList: GuestTable;
  readonly guestAddresses: GuestAddresses;
  readonly labels: LabelTable;
  /** Whether the service has a mail server. */
  readonly sendsMail: boolean;
  readonly now: () => Date;
}

/** The photos of a link, each photo large, and the answers of guests. */
export class PublicShareViews {
  private readonly contents: ShareContents;
  private readonly receiver: GuestFeedback;

  constructor(
    private readonly deps: PublicShareViewsDeps,
    private readonly openings: LinkOpenings,
  ) {
    this.contents = new ShareContents(deps.photos);
    this.receiver = new GuestFeedback(deps);
  }

  /** All photos of the link, or those that the guest likes. */
  async gallery(request: LinkRequest): Promise<void> {
    await this.openings.record(request, 'view');
    const { context, share } = request;
    const { query } = context;
    const { answers } = this.deps;
    const forms = this.formsOf(request);
    const liked = await this.favourites(share, forms.guest);
    const onlyFavourites = query.get('only') === 'favourites';
    const page = onlyFavourites
      ? await this.contents.pageOf(liked)
      : await this.contents.page(share, query.get('after'));
    const photoIds = page.photos.map(({ photoId }) => photoId);
    const shown = {
      ...page,
      ...forms,
      share,
      reviewers:
        share.decisionUntil === undefined ? [] : await this.deps.guestAddresses.reviewers(share.id),
      count: await this.contents.count(share),
      cover: onlyFavourites || page.here !== '' ? undefined : await this.coverOf(share, page),
      films: (photo: Photo) =>
        filmAddress(this.deps.guests, { ...request, ...forms }, photo, this.deps.now()),
      marks: await answers.marks(share.id, forms.guest.id, photoIds),
      favourites: liked.length,
      onlyFavourites,
      now: this.deps.now(),
    };
    sendPage(context, 200, sharedGalleryPage(shown));
  }

  /** One photo with its answers; for the script, only the answers. */
  async photo(request: LinkRequest): Promise<void> {
    await this.openings.record(request, 'view');
    const { context, share, token } = request;
    const photo = await this.contents.find(share, photoIdIn(context.query));
    if (photo === undefined) {
      sendPage(context, 404, shareGonePage());
      return;
    }
    const page = pageIn(photo, context.query.get('page'));
    const shown = { ...(await this.answersTo(photo, share, this.formsOf(request))), page };
    if (wantsJson(context)) {
      this.sendPanel(request, shown);
    } else {
      const neighbours = await this.contents.neighbours(share, photo);
      const now = this.deps.now();
      const film = filmAddress(this.deps.guests, { share, token, guest: shown.guest }, photo, now);
      const time = timeIn(photo, context.query.get('time'));
      const view = { ...shown, ...neighbours, share, film, time, now };
      sendPage(context, 200, sharedPhotoPage(view));
    }
  }

  /** Stores an answer, and leads back to the page of the form; the script gets the new answers. */
  async answer(request: LinkRequest): Promise<void> {
    const { context, share, token } = request;
    const { response, clientAddress: address } = context;
    const form = context.form ?? new URLSearchParams();
    const { guests } = this.deps;
    const link = { id: share.id, token };
    const guest = guests.read(context.request, link);
    if (guest === undefined || !guests.isOwnForm(link, guest, form.get('csrf'))) {
      this.refuse(request, 403, message('answerAgain'));
      return;
    }
    const wish = parseGuestAction(form);
    const subject = wish?.action === 'delete' ? (form.get('version') ?? '') : wish?.subject;
    const photo = await this.contents.find(share, subject ?? '');
    if (wish === undefined || photo === undefined) {
      this.refuse(request, 404, message('photoIsGone'));
      return;
    }
    const about = { share, photo, guest, address };
    const outcome = await this.receiver.receive(wish, form, about);
    if (outcome.kind === 'name') {
      this.askName(request, form, outcome.problem);
      return;
    }
    if (outcome.kind === 'refused') {
      this.refuse(request, outcome.status, outcome.problem, outcome.waitSeconds);
      return;
    }
    if (outcome.guest.name !== guest.name) {
      guests.keep(response, link, outcome.guest);
    }
    if (wantsJson(context)) {
      const forms = { ...this.formsOf(request), guest: outcome.guest };
      const { length } = await this.favourites(share, outcome.guest);
      const page = pageIn(photo, form.get('shown'));
      this.sendPanel(request, { ...(await this.answersTo(photo, share, forms)), page }, length);
    } else {
      sendRedirect(response, addressAfter(form, { token, photo }));
    }
  }

  /** Shows the form with the name of the guest, and changes the name. */
  async guestName(request: LinkRequest): Promise<void> {
    const { context, share, token } = request;
    const { response, form, clientAddress: address } = context;
    const { guests } = this.deps;
    const forms = this.formsOf(request);
    const link = { id: share.id, token };
    if (form === undefined) {
      sendPage(context, 200, changeNamePage(forms, undefined));
      return;
    }
    const guest = guests.read(context.request, link);
    if (guest === undefined || !guests.isOwnForm(link, guest, form.get('csrf'))) {
      this.refuse(request, 403, message('answerAgain'));
      return;
    }
    const about = { share, guest, address };
    const renamed = await this.receiver.rename(form.get('name') ?? '', about);
    if (!('kind' in renamed)) {
      guests.keep(response, link, renamed);
      sendRedirect(response, SHARES.shared(token));
    } else if (renamed.kind === 'name') {
      sendPage(context, 400, changeNamePage(forms, renamed.problem));
    } else {
      this.refuse(request, renamed.status, renamed.problem, renamed.waitSeconds);
    }
  }

  /** Shows the form with which a guest finishes, and stores that. A guest without a name is asked for it. */
  async finish(request: LinkRequest): Promise<void> {
    const { context, share, token } = request;
    const { response, form, clientAddress: address } = context;
    const { guests, digests } = this.deps;
    const forms = this.formsOf(request);
    const show = async (status: number, problem?: Message): Promise<void> => {
      const finish = await digests.finishOf(share.id, forms.guest.id);
      const replies = (translator: Translator): Html | undefined =>
        forms.sendsMail ? html`<p>${repliesLink(translator, token)}</p>` : undefined;
      sendPage(context, status, finishPage({ ...forms, finish, problem }, nameField, replies));
    };
    if (!share.takesFeedback) {
      this.refuse(request, 403, message('answersAreClosed'));
      return;
    }
    if (form === undefined) {
      await show(200);
      return;
    }
    const link = { id: share.id, token };
    const guest = guests.read(context.request, link);
    if (guest === undefined || !guests.isOwnForm(link, guest, form.get('csrf'))) {
      this.refuse(request, 403, message('answerAgain'));
      return;
    }
    const outcome = await this.receiver.finish(form, { share, guest, address });
    if (outcome.kind === 'done') {
      guests.keep(response, link, outcome.guest);
      sendRedirect(response, SHARES.finish(token));
    } else if (outcome.kind === 'name') {
      await show(outcome.problem === undefined ? 200 : 400, outcome.problem);
    } else {
      this.refuse(request, outcome.status, outcome.problem, outcome.waitSeconds);
    }
  }

  /** Shows the form with which a guest gets replies by mail, and stores or deletes the address. */
  async replies(request: LinkRequest): Promise<void> {
    const { context, share, token } = request;
    const { response, form, clientAddress: address, locale } = context;
    const { guests, subscriptions, sendsMail } = this.deps;
    if (!share.takesFeedback || !sendsMail) {
      this.refuse(request, 403, message(sendsMail ? 'answersAreClosed' : 'repliesOff'));
      return;
    }
    const link = { id: share.id, token };
    const forms = this.formsOf(request);
    const show = async (status: number, problem?: Message): Promise<void> => {
      const subscription = await subscriptions.of(share.id, forms.guest.id);
      const typed = form?.get('email') ?? undefined;
      const view = { ...forms, subscription, typed, problem, keptDays: ENDED_SHARE_DAYS };
      sendPage(context, status, repliesPage(view));
    };
    if (form === undefined) {
      await show(200);
      return;
    }
    const guest = guests.read(context.request, link);
    if (guest === undefined || !guests.isOwnForm(link, guest, form.get('csrf'))) {
      this.refuse(request, 403, message('answerAgain'));
      return;
    }
    if (form.has('stop')) {
      await subscriptions.forget(share.id, guest.id);
      sendRedirect(response, SHARES.replies(token));
      return;
    }
    const email = readMailAddress(form.get('email') ?? '');
    if (email === undefined) {
      await show(400, message('emailRule', { example: 'name@example.com' }));
      return;
    }
    const about = { share, guest, address, email, locale: locale.language };
    const outcome = await this.receiver.mailReplies(about);
    if (outcome.kind === 'refused') {
      if (outcome.waitSeconds !== undefined) {
        response.setHeader('Retry-After', String(outcome.waitSeconds));
      }
      await show(outcome.status, outcome.problem);
    } else {
      sendRedirect(response, SHARES.replies(token));
    }
  }

  /**
   * Keeps the guest whose own address is opened, and leads to the link.
   * @returns whether it is such an address
   */
  async welcome({ context, share, token }: LinkRequest): Promise<boolean> {
    const given = context.query.get('guest');
    const { guests, guestList } = this.deps;
    const link = { id: share.id, token };
    const id = given === null ? undefined : guests.readInvitation(link, given);
    const guest = id === undefined ? undefined : await guestList.invited(share.id, id);
    if (given === null || context.form !== undefined) {
      return false;
    }
    if (guest !== undefined) {
      guests.keep(context.response, link, guest);
    }
    sendRedirect(context.response, SHARES.shared(token));
    return true;
  }

  /** The guest of the request, and what the forms need. Gives a new browser its cookie. */
  private formsOf({ context, share, token }: LinkRequest): GuestForms {
    const link = { id: share.id, token };
    const guest = this.deps.guests.readOrMake(context.request, context.response, link);
    const csrf = this.deps.guests.formToken(link, guest);
    return {
      ...{ token, guest, csrf },
      isOpen: share.takesFeedback,
      maxFavourites: share.maxFavourites,
      sendsMail: this.deps.sendsMail,
    };
  }

  /** The photos that a guest likes, as far as the link shows them still. */
  private async favourites(share: OpenShare, guest: Guest): Promise<string[]> {
    if (guest.name === '') {
      // The first answer needs a name.
      return [];
    }
    const ids = await this.deps.answers.favouritesOf(share.id, guest.id);
    const photos = await this.deps.photos.several(ids);
    return photos.filter((photo) => includes(share, photo)).map(({ id }) => id);
  }

  /** The chosen cover, if the link shows it still, or the first photo. */
  private async coverOf(share: OpenShare, { photos }: PageOfLink): Promise<Photo | undefined> {
    const { coverPhotoId: id } = share;
    return (id === undefined ? undefined : await this.contents.find(share, id)) ?? photos[0];
  }

  private async answersTo(
    photo: Photo,
    share: OpenShare,
    forms: GuestForms,
  ): Promise<Omit<PhotoAnswers, 'page'>> {
    const answers = await this.deps.answers.inShare(share.id, photo.photoId, forms.guest.id);
    const labels = await this.deps.labels.of(share.workspace.id);
    const frames = sharedFramesAddress(forms.token, photo, share);
    return { ...forms, photo, answers, labels, frames };
  }

  private sendPanel({ context }: LinkRequest, shown: PhotoAnswers, favourites?: number): void {
    const own = shown.answers.filter(({ guest }) => guest.id === shown.guest.id);
    sendJson(context.response, 200, {
      panel: answerPanel(new Translator(context.locale.language), shown).toString(),
      favourite: own.some(({ kind }) => kind === 'favourite'),
      stars: own.find((answer) => answer.kind === 'stars')?.value ?? 0,
      approved: shown.answers.some(
        (answer) =>
          answer.kind === 'approval' && answer.isCurrent && answer.withdrawnAt === undefined,
      ),
      comments: shown.answers.filter(({ kind }) => kind === 'comment').length,
      ...(favourites !== undefined && { favourites }),
    });
  }

  private askName(request: LinkRequest, form: URLSearchParams, problem: Message | undefined): void {
    const { context } = request;
    if (wantsJson(context)) {
      const translator = new Translator(context.locale.language);
      const sentence = problem && { problem: translator.format(problem) };
      sendJson(context.response, 200, { needsName: true, ...sentence });
      return;
    }
    const fields = new Map([...form].filter(([name]) => name !== 'name'));
    sendPage(
      context,
      problem === undefined ? 200 : 400,
      guestNamePage(request.token, fields, problem),
    );
  }

  private refuse(
    { context, token }: LinkRequest,
    status: number,
    problem: Message,
    waitSeconds?: number,
  ): void {
    if (waitSeconds !== undefined) {
      context.response.setHeader('Retry-After', String(waitSeconds));
    }
    if (wantsJson(context)) {
      const sentence = new Translator(context.locale.language).format(problem);
      sendJson(context.response, status, { problem: sentence });
    } else {
      sendPage(context, status, shareProblemPage(token, problem));
    }
  }
}

/** The page that a form was on. */
function addressAfter(
  form: URLSearchParams,
  { token, photo }: { readonly token: string; readonly photo: Photo },
): string {
  const given = form.get('back');
  const back: BackTo = BACK_TO.find((one) => one === given) ?? 'photo';
  if (back === 'photo') {
    const address = ofPhoto(SHARES.photo(token), photo.id);
    const page = pageIn(photo, form.get('shown'));
    return page === undefined || page === 1 ? address : `${address}&page=${page}`;
  }
  const after = form.get('after') ?? '';
  const query = new URLSearchParams({
    ...(back === 'favourites' && { only: 'favourites' }),
    ...(after !== '' && { after }),
  });
  const rest = query.size === 0 ? '' : `?${query.toString()}`;
  return `${SHARES.shared(token)}${rest}#photo-${photo.photoId}`;
}
